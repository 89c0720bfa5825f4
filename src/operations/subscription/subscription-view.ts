import * as z from 'zod'
import { poolsDue } from '#money/grant.ts'
import { periodAt } from '#money/period.ts'
import type { BundleRecord, EndUser, PoolRecord } from '#domain/store.ts'
import type { ApplicationContext } from '#operations/operation.ts'
import { Interval, Micros, Slug, Timestamp } from '#operations/schemas.ts'
import { poolIncludes } from '#operations/users/plan.ts'

const Pool = z.object({
  slug: Slug.meta({ description: 'Slug of the include that grants it.' }),
  displayName: z.string().meta({ description: 'What people know it by.' }),
  unit: z
    .enum(['tokens', 'micros', 'credits'])
    .meta({ description: 'What `granted` and `consumed` count; credits in millionths.' }),
  granted: Micros.meta({ description: 'What was granted for the period.' }),
  consumed: Micros.meta({ description: 'What settled calls took of it.' }),
  spilloverTo: Slug.nullable().meta({ description: 'The pool that pays next; null: none is named.' }),
  thenOnDemand: z.boolean().meta({ description: 'Whether usage past it may be paid otherwise, or stops.' }),
  aliases: z
    .array(
      z.object({
        requestedModel: z.string().meta({ description: 'The name that was asked for.' }),
        consumed: Micros.meta({ description: 'What it took.' }),
      }),
    )
    .meta({ description: 'What took it, by model name.' }),
})

export const SubscriptionView = z
  .object({
    planName: z.string().meta({ description: 'Display name of the bundle.' }),
    priceMicros: Micros.meta({ description: 'What it costs per interval; 0 for a bundle without a price.' }),
    interval: Interval.meta({ description: 'How often it is billed.' }),
    periodStart: Timestamp.meta({ description: 'When the current period began.' }),
    periodEnd: Timestamp.meta({ description: 'When the next one begins.' }),
    onDemandEnabled: z.boolean().meta({ description: 'Whether more may be used than is paid for.' }),
    onDemandLimitMicros: Micros.nullable().meta({
      description: 'Their own monthly ceiling of that; null while enabled: none.',
    }),
    onDemandSpentMicros: Micros.meta({ description: 'What of it was used this month (UTC).' }),
    pools: z.array(Pool).meta({ description: 'Allotments that pay now, in the order they were granted.' }),
    invoices: z
      .array(
        z.object({
          issuedAt: Timestamp.meta({ description: 'When it was issued.' }),
          amountMicros: Micros.meta({ description: 'What it asks for.' }),
          status: z.enum(['paid', 'open', 'past_due']).meta({ description: 'Where it stands.' }),
        }),
      )
      .meta({ description: 'Bills, newest first.' }),
  })
  .meta({ id: 'Subscription', description: 'The plan of a person and what is left of it.' })

export async function subscriptionView(
  endUser: EndUser,
  bundle: BundleRecord,
  { application, mode, nowMs, store }: ApplicationContext,
): Promise<z.output<typeof SubscriptionView>> {
  const period = periodAt(endUser.subscribedAtMs, bundle.interval, Math.max(nowMs, endUser.subscribedAtMs))
  const onDemand = await store.balances.onDemand(endUser.id, mode)
  const spent = await store.balances.onDemandSpent(endUser.id, mode, nowMs)
  const existing = await store.balances.pools(endUser.id, mode)
  const current = existing.filter(
    ({ source }) => source.startsAtMs <= nowMs && (source.endsAtMs === null || source.endsAtMs > nowMs),
  )
  // Pools become rows with the first call of a period; until then they are what that call will make.
  const due = poolsDue({
    bundleId: bundle.id,
    includes: poolIncludes(
      bundle,
      await store.bundles.includes(bundle.id),
      await store.aliases.names(application.id),
    ),
    anchorMs: endUser.subscribedAtMs,
    interval: bundle.interval,
    nowMs,
    existing: existing.map(({ bundleId, recurring, source }) => ({
      slug: source.slug,
      bundleId,
      startsAtMs: source.startsAtMs,
      recurring,
    })),
    nextSequence: 1 + Math.max(0, ...existing.map(({ source }) => source.rank.sequence)),
  })
  const granted: readonly Omit<PoolRecord, 'bundleId' | 'recurring'>[] = [
    ...current,
    ...due.map(({ include, source }) => ({
      source: { ...source, posted: source.granted },
      displayName: include.displayName,
    })),
  ]
  const ids = current.map(({ source }) => source.id)
  const uses = await store.balances.poolUse(endUser.id, mode, ids)
  return {
    planName: bundle.displayName,
    priceMicros: bundle.priceMicros ?? 0n,
    interval: bundle.interval,
    periodStart: period.startsAtMs,
    periodEnd: period.endsAtMs,
    onDemandEnabled: onDemand.isEnabled,
    onDemandLimitMicros: onDemand.limitMicros,
    onDemandSpentMicros: spent,
    pools: granted.map(({ displayName, source }) => ({
      slug: source.slug,
      displayName,
      unit: source.unit,
      granted: source.granted,
      consumed: source.granted - source.posted,
      spilloverTo: source.spilloverTo,
      thenOnDemand: source.thenOnDemand,
      aliases: uses
        .filter(({ sourceId }) => sourceId === source.id)
        .map(({ alias, amount }) => ({ requestedModel: alias, consumed: amount })),
    })),
    // Nobody is billed by this server yet, so nothing was ever issued.
    invoices: [],
  }
}

/** The bundle of a person; null for one whose bundle was taken away. */
export async function bundleOf(
  { bundleId }: EndUser,
  { application, store }: ApplicationContext,
): Promise<BundleRecord | null> {
  return bundleId === null ? null : store.bundles.byId(application.id, bundleId)
}
