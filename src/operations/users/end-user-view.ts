import * as z from 'zod'
import type { EndUser } from '#domain/records.ts'
import { modeTime } from '#operations/mode-time.ts'
import type { ApplicationContext } from '#operations/context.ts'
import { ExternalId, Micros, SignedMicros, Slug, Timestamp } from '#operations/schemas.ts'
import { EndUserLimits, endUserLimitViews } from './end-user-limits.ts'
import { ExpiringCreditView, expiringCreditView } from './expiring-credit.ts'
import { UsageTotals } from '#operations/usage/usage-totals.ts'

const Balance = z
  .object({
    balanceUnits: SignedMicros.meta({
      description: 'Balance of the wallet with the credit that expires and can be spent now, in micros.',
    }),
    reservedUnits: Micros.meta({ description: 'Held for calls in flight; available = balance - reserved.' }),
    expiringCredit: ExpiringCreditView,
  })
  .meta({ id: 'Balance', description: 'A wallet.' })

export const EndUserView = z
  .object({
    id: z.string().meta({ description: "The service's own id of the person, `eu_…`." }),
    externalId: ExternalId,
    email: z.string().nullable().meta({ description: 'Email address; null: not known.' }),
    bundle: Slug.nullable().meta({
      description:
        'Slug of the bundle that the end user is on in the mode of the request. Null if there is none, or if the subscription has ended.',
    }),
    frozen: z.boolean().meta({ description: 'Whether their spending is stopped.' }),
    frozenAt: Timestamp.nullable().meta({ description: 'When spending was stopped; null: not stopped.' }),
    frozenReason: z.string().nullable().meta({
      description:
        'Reason given when spending was stopped. Null if there is none. Never shown to the end user.',
    }),
    balance: Balance.meta({ description: 'The wallet in the mode of the request.' }),
    usage: UsageTotals.meta({ description: 'All that they used in the mode of the request.' }),
    onDemandEnabled: z
      .boolean()
      .meta({ description: 'Whether more may be used than is paid for, in the mode of the request.' }),
    limits: EndUserLimits.meta({
      description:
        'Limits of the end user over all keys and plans, in the mode of the request. Empty if none are set.',
    }),
    lastSeenAt: Timestamp.nullable().meta({
      description: 'When a key of theirs was last used in the mode of the request; null: never.',
    }),
    createdAt: Timestamp.meta({ description: 'When they were made.' }),
  })
  .meta({ id: 'EndUser', description: 'A person of an application.' })

const noUsage = { calls: 0, inputTokens: 0, outputTokens: 0, billedMicros: 0n, overHoldMicros: 0n }

export async function endUserViews(
  endUsers: readonly EndUser[],
  context: ApplicationContext,
): Promise<z.output<typeof EndUserView>[]> {
  const { application, mode, store } = context
  const ids = endUsers.map(({ id }) => id)
  const wallets = await store.balances.wallets(ids, mode, modeTime(context))
  const usage = await store.usage.byEndUser(ids, mode)
  const ended = await store.subscriptions.ended(ids, mode, modeTime(context))
  const onDemand = await store.balances.withOnDemand(ids, mode)
  const limits = await store.balances.limits(ids, mode)
  const lastUsed = await store.keys.lastUsed(ids, mode)
  const own = await store.subscriptions.ownPlans(ids, mode)
  const planOf = ({ bundleId, id }: EndUser): string | null => own.get(id) ?? bundleId
  const slugs = new Map<string, string | null>()
  for (const bundleId of endUsers.map(planOf)) {
    if (bundleId === null || slugs.has(bundleId)) continue
    const bundle = await store.bundles.byId(application.id, bundleId)
    slugs.set(bundleId, bundle?.slug ?? null)
  }
  return endUsers.map((endUser) => {
    const wallet = wallets.get(endUser.id)
    const bundleId = planOf(endUser)
    return {
      id: endUser.id,
      externalId: endUser.externalId,
      email: endUser.email,
      bundle: bundleId === null || ended.has(endUser.id) ? null : (slugs.get(bundleId) ?? null),
      frozen: endUser.frozenAtMs !== null,
      frozenAt: endUser.frozenAtMs,
      frozenReason: endUser.frozenReason,
      balance: {
        balanceUnits: wallet?.postedMicros ?? 0n,
        reservedUnits: wallet?.heldMicros ?? 0n,
        expiringCredit: expiringCreditView(wallet),
      },
      usage: usage.get(endUser.id) ?? noUsage,
      onDemandEnabled: onDemand.has(endUser.id),
      limits: endUserLimitViews(limits.get(endUser.id)),
      lastSeenAt: lastUsed.get(endUser.id) ?? null,
      createdAt: endUser.createdAtMs,
    }
  })
}

export async function endUserView(
  endUser: EndUser,
  context: ApplicationContext,
): Promise<z.output<typeof EndUserView>> {
  const [view] = await endUserViews([endUser], context)
  if (!view) throw new Error('one end user gives one view')
  return view
}

/** Stops an end user's spending or allows it again, in both modes. */
export async function setFrozen(
  endUser: EndUser,
  frozen: Pick<EndUser, 'frozenAtMs' | 'frozenReason'>,
  context: ApplicationContext,
): Promise<z.output<typeof EndUserView>> {
  const changed = { ...endUser, ...frozen }
  await context.store.endUsers.put(changed)
  return endUserView(changed, context)
}
