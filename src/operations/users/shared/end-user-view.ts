import * as z from 'zod'
import { usageSums } from '#domain/sums-of-request-figures.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import {
  ExternalId,
  Micros,
  SignedMicros,
  Slug,
  Timestamp,
} from '#operations/kernel/value-and-page-schemas.ts'
import { ExpiringCreditView, expiringCreditView } from '#operations/billing/shared/expiring-credit-view.ts'
import { UsageTotals } from '#operations/usage/shared/usage-totals-view.ts'
import { RateLimits, rulesOf } from '#operations/kernel/rate-limit-schemas.ts'

const Balance = z
  .object({
    balanceUnits: SignedMicros.meta({
      description: 'Wallet balance, including expiring credit that can be spent now, in micros.',
    }),
    reservedUnits: Micros.meta({
      description:
        'Amount held for requests in flight, in micros. The available amount is `balanceUnits` minus `reservedUnits`.',
    }),
    expiringCredit: ExpiringCreditView,
  })
  .meta({ id: 'Balance', description: 'Wallet of an end user.' })

export const EndUserView = z
  .object({
    id: z.string().meta({ description: 'ID of the end user, `eu_…`.' }),
    externalId: ExternalId,
    email: z.string().nullable().meta({ description: 'Email address of the end user. Null if unknown.' }),
    bundle: Slug.nullable().meta({
      description:
        "Slug of the end user's bundle in the mode of the request. Null if the end user has no bundle, or if the subscription has ended.",
    }),
    frozen: z
      .boolean()
      .meta({ description: 'Whether the end user is frozen, so that all requests are rejected.' }),
    frozenAt: Timestamp.nullable().meta({
      description: 'When the end user was frozen. Null if the end user is not frozen.',
    }),
    frozenReason: z.string().nullable().meta({
      description: 'Reason for the freeze. Null if no reason was given. Never shown to the end user.',
    }),
    balance: Balance.meta({ description: 'Wallet in the mode of the request.' }),
    usage: UsageTotals.meta({ description: 'Total usage in the mode of the request.' }),
    onDemandEnabled: z.boolean().meta({
      description: 'Whether usage beyond pools and wallet is billed on demand, in the mode of the request.',
    }),
    limits: RateLimits.meta({
      description:
        'Limits of the end user in the mode of the request. Each limit counts the usage of all keys and plans. Empty if no limit is set.',
    }),
    lastSeenAt: Timestamp.nullable().meta({
      description:
        'When a key of the end user was last used in the mode of the request, accurate to ten minutes. Null if no key was ever used.',
    }),
    createdAt: Timestamp.meta({ description: 'When the end user was created.' }),
  })
  .meta({ id: 'EndUser', description: 'An end user of an application.' })

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
  const rates = await store.balances.rates(ids, mode)
  const lastUsed = await store.keys.lastUsed(ids, mode)
  const own = await store.subscriptions.ownPlans(ids, mode)
  const planOf = ({ bundleId, id }: EndUser): string | null => own.get(id) ?? bundleId
  const bundleIds = new Set(endUsers.map(planOf).filter((bundleId) => bundleId !== null))
  const bundles = await Promise.all([...bundleIds].map((id) => store.bundles.byId(application.id, id)))
  const slugs = new Map(bundles.flatMap((bundle) => (bundle === null ? [] : [[bundle.id, bundle.slug]])))
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
      usage: usage.get(endUser.id) ?? usageSums.zero(),
      onDemandEnabled: onDemand.has(endUser.id),
      limits: rulesOf(limits.get(endUser.id), rates.get(endUser.id)),
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
  if (!view) throw new Error('endUserViews must return one view per end user')
  return view
}

/** A frozen end user cannot spend in either mode. */
export async function setFrozen(
  endUser: EndUser,
  frozen: Pick<EndUser, 'frozenAtMs' | 'frozenReason'>,
  context: ApplicationContext,
): Promise<z.output<typeof EndUserView>> {
  const changed = { ...endUser, ...frozen }
  await context.store.endUsers.put(changed)
  return endUserView(changed, context)
}
