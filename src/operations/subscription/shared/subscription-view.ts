import * as z from 'zod'
import type { OwnedPool } from '#money/plan-pools.ts'
import type { PoolSource } from '#money/decision-types.ts'
import { periodAt } from '#money/periods-and-windows.ts'
import { type CoveredAlias, overflowOf } from '#money/payment-sources.ts'
import { invoiceStatus } from '#domain/billing/invoice-records.ts'
import type { PoolUse } from '#domain/billing/balances-and-ledger-entries.ts'
import type { BundleRecord } from '#domain/billing/bundle-record.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import { InvoiceLineView, invoiceLineView } from '#operations/invoices/shared/invoice-view.ts'
import {
  blockedSince,
  currentPools,
  isSoldForMoney,
  onDemandOwed,
  planOf,
  shareOfPrice,
  withCarriedOver,
} from '#operations/billing/shared/current-plan-and-pools.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import type { ApplicationContext, InApplication } from '#operations/kernel/operation-context.ts'
import { ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { Interval, Micros, Slug, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { ExpiringCreditView, expiringCreditView } from '#operations/billing/shared/expiring-credit-view.ts'

const Pool = z.object({
  slug: Slug.meta({ description: 'Slug of the pool, as set with `bundles.include`.' }),
  displayName: z.string().meta({ description: 'Display name of the pool.' }),
  unit: z.enum(['tokens', 'micros', 'credits']).meta({
    description:
      'Unit of the amounts of the pool. `micros`: money, in micros. `credits`: millionths of a credit. If the credits of a pool have a price, the amounts are converted to money at this price and returned in `micros`. The value `tokens` is never returned.',
  }),
  granted: Micros.meta({ description: 'Amount granted for the period.' }),
  consumed: Micros.meta({
    description:
      'Amount that settled requests consumed. If the plan changed in the period, this amount includes the amounts that pools of other plans paid.',
  }),
  spilloverTo: Slug.nullable().meta({
    description:
      'Slug of the pool that pays the rest of a request after this pool is used up. Null if no other pool pays.',
  }),
  thenOnDemand: z.boolean().meta({
    description: 'Whether the wallet and on-demand billing cover usage after this pool is exhausted.',
  }),
  rolledOver: Micros.meta({
    description: 'Part of `granted` that was carried over from earlier months, in the unit of the pool.',
  }),
  aliases: z
    .array(
      z.object({
        requestedModel: z.string().meta({ description: 'The requested model name.' }),
        consumed: Micros.meta({
          description: 'Amount that the pool paid for this model name, in the unit of the pool.',
        }),
      }),
    )
    .meta({ description: 'Consumption by model name.' }),
})

export const SubscriptionView = z
  .object({
    planName: z.string().meta({ description: 'Display name of the bundle.' }),
    priceMicros: Micros.meta({
      description:
        'Price per interval, in micros, as agreed when the end user joined the plan. 0 if the plan has no price.',
    }),
    interval: Interval.meta({ description: 'Billing interval.' }),
    periodStart: Timestamp.meta({ description: 'When the current period began.' }),
    periodEnd: Timestamp.meta({ description: 'When the next period begins.' }),
    onDemandEnabled: z
      .boolean()
      .meta({ description: 'Whether usage beyond pools and wallet is billed on demand.' }),
    onDemandLimitMicros: Micros.nullable().meta({
      description:
        'Maximum on-demand usage of the end user per calendar month (UTC), in micros. Null means no limit.',
    }),
    onDemandSpentMicros: Micros.meta({
      description:
        'On-demand usage in the current calendar month (UTC), in micros. This usage is invoiced after the month ends.',
    }),
    pools: z
      .array(Pool)
      .meta({ description: 'Pools that can pay for requests now, in the order in which they were granted.' }),
    expiringCredit: ExpiringCreditView,
    onDemandBlockedSince: Timestamp.nullable().meta({
      description:
        'When a past-due invoice blocked on-demand billing. On-demand billing stays blocked until the invoice is paid. Null if no invoice is past due.',
    }),
    onDemandOwedMicros: Micros.meta({
      description:
        'On-demand usage of earlier months that is not invoiced yet or is on an unpaid invoice, in micros.',
    }),
    creditMicros: Micros.meta({
      description:
        'Credit for later invoices, in micros, from unused days of a plan that was replaced by a more expensive one.',
    }),
    endsAt: Timestamp.nullable().meta({
      description:
        'When the plan ends because the subscription was canceled. Null if the subscription was not canceled.',
    }),
    invoices: z
      .array(
        z.object({
          id: z.string().meta({ description: 'ID of the invoice, `inv_…`.' }),
          issuedAt: Timestamp.meta({ description: 'When the invoice was issued.' }),
          dueAt: Timestamp.meta({ description: 'When an unpaid invoice becomes past due.' }),
          periodStart: Timestamp.meta({ description: 'Start of the invoiced period.' }),
          periodEnd: Timestamp.meta({ description: 'End of the invoiced period (exclusive).' }),
          amountMicros: Micros.meta({ description: 'Amount due, in micros.' }),
          status: z.enum(['paid', 'open', 'past_due']).meta({ description: 'Payment status.' }),
          lines: z.array(InvoiceLineView).meta({ description: 'Lines that add up to the amount.' }),
        }),
      )
      .meta({
        description:
          'The newest 100 invoices that are not void, newest first. `invoices.list` returns all invoices.',
      }),
  })
  .meta({ id: 'Subscription', description: 'The plan of an end user, with its pools and invoices.' })

export async function subscriptionView(
  endUser: EndUser,
  bundle: BundleRecord,
  context: InApplication,
): Promise<z.output<typeof SubscriptionView>> {
  const { mode, store } = context
  const nowMs = modeTime(context)
  const stored = await store.subscriptions.of(endUser.id, mode)
  const { interval, priceMicros } = stored?.terms ?? bundle
  const anchorMs = stored?.subscribedAtMs ?? endUser.subscribedAtMs
  const period = periodAt(anchorMs, interval, Math.max(nowMs, anchorMs))
  const onDemand = await store.balances.onDemand(endUser.id, mode)
  const spent = await store.balances.onDemandSpent(endUser.id, mode, nowMs)
  const pools = await currentPools(endUser, bundle, stored, context)
  const ids = pools.map(({ source }) => source.id)
  const uses = await store.balances.poolUse(endUser.id, mode, ids)
  const wallet = (await store.balances.wallets([endUser.id], mode, nowMs)).get(endUser.id)
  const names = await coveredNames(bundle, context)
  const sources = pools.map(({ source }) => source)
  const billed = await invoicesOf(endUser.id, nowMs, context)
  return {
    planName: bundle.displayName,
    priceMicros: priceMicros ?? 0n,
    interval,
    periodStart: period.startsAtMs,
    periodEnd: period.endsAtMs,
    onDemandEnabled: onDemand.isEnabled,
    onDemandLimitMicros: onDemand.limitMicros,
    onDemandSpentMicros: spent,
    pools: withCarriedOver(pools).map(({ parts, pool, rolledOver }) => ({
      slug: pool.source.slug,
      displayName: pool.displayName,
      spilloverTo: overflowOf(lastOf(parts), names, { nowMs, sources })?.slug ?? null,
      thenOnDemand: pool.source.thenOnDemand,
      ...amountsOf(
        pool,
        rolledOver,
        uses.filter(({ sourceId }) => parts.some(({ id }) => id === sourceId)),
      ),
    })),
    expiringCredit: expiringCreditView(wallet),
    onDemandBlockedSince: blockedSince(stored, nowMs),
    onDemandOwedMicros: await onDemandOwed(endUser.id, stored, nowMs, context),
    creditMicros: stored?.creditMicros ?? 0n,
    endsAt: stored?.planEndsAtMs ?? null,
    invoices: billed,
  }
}

const invoicesShown = 100

async function invoicesOf(endUserId: string, nowMs: number, { application, mode, store }: InApplication) {
  const filter = { endUserId, status: null }
  const page = { limit: invoicesShown, after: null }
  const { rows } = await store.invoices.list(application.id, mode, filter, nowMs, page)
  return rows.flatMap((invoice) => {
    const { amountMicros, createdAtMs, dueAtMs, id, lines, periodEndMs, periodStartMs } = invoice
    const status = invoiceStatus(invoice, nowMs)
    if (status === 'void') return []
    return {
      id,
      issuedAt: createdAtMs,
      dueAt: dueAtMs,
      periodStart: periodStartMs,
      periodEnd: periodEndMs,
      amountMicros,
      status,
      lines: lines.map(invoiceLineView),
    }
  })
}

async function coveredNames(
  { id }: BundleRecord,
  { application, store }: InApplication,
): Promise<CoveredAlias[]> {
  const prices = await store.bundles.prices(id)
  const inCredits = new Set(prices.filter(({ credits }) => credits !== null).map(({ alias }) => alias))
  const names = await store.aliases.names(application.id)
  return names.map((alias) => ({ alias, hasCreditPrice: inCredits.has(alias) }))
}

/**
 * If the pool is sold for money, credits are shown in micros, in proportion to the pool's price. The amounts are
 * rounded so that the remaining amount is never too large. The amounts per alias add up to the total.
 */
function amountsOf(
  { priceMicros, source }: OwnedPool,
  rolledOver: bigint,
  uses: readonly PoolUse[],
): Pick<z.output<typeof Pool>, 'unit' | 'granted' | 'consumed' | 'rolledOver' | 'aliases'> {
  const isSold = isSoldForMoney({ priceMicros, source })
  const shown = (amount: bigint): bigint => (isSold ? shareOfPrice({ priceMicros, source }, amount) : amount)
  let taken = 0n
  const aliases = uses.map(({ alias, amount }) => {
    const before = shown(taken)
    taken += amount
    return { requestedModel: alias, consumed: shown(taken) - before }
  })
  return {
    unit: isSold ? 'micros' : source.unit,
    granted: shown(source.granted),
    consumed: shown(source.granted - source.posted),
    rolledOver: shown(rolledOver),
    aliases: mergedAliases(aliases),
  }
}

/** After a rollover, several parts of a pool may have paid for the same alias. */
function mergedAliases(
  aliases: readonly { readonly requestedModel: string; readonly consumed: bigint }[],
): { requestedModel: string; consumed: bigint }[] {
  const sums = new Map<string, bigint>()
  for (const { consumed, requestedModel } of aliases) {
    sums.set(requestedModel, (sums.get(requestedModel) ?? 0n) + consumed)
  }
  return [...sums].map(([requestedModel, consumed]) => ({ requestedModel, consumed }))
}

function lastOf(parts: readonly PoolSource[]): PoolSource {
  const last = parts.at(-1)
  if (last === undefined) throw new Error('a pool has at least one part')
  return last
}

export async function subscriber(
  externalId: string,
  context: ApplicationContext,
): Promise<{ endUser: EndUser; bundle: BundleRecord } | Refused<'not_found'>> {
  const endUser = await ownEndUser.find(externalId, context, 'endUserId')
  if (endUser instanceof Refused) return endUser
  const bundle = await planOf(endUser, context)
  if (bundle) return { endUser, bundle }
  return refused('not_found', { resource: 'subscription of', id: externalId }, 'endUserId')
}
