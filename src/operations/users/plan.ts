import { planChange, type Include } from '#money/grant.ts'
import { isAllowed } from '#money/pattern.ts'
import type { BundleInclude, BundleRecord, EndUser } from '#domain/store.ts'
import type { Mode } from '#domain/snapshot.ts'
import type { ApplicationContext } from '#operations/operation.ts'

const modes: readonly Mode[] = ['live', 'test']

/**
 * Puts a person on another bundle, in both modes. What this month's pools have paid is taken off what
 * the new bundle grants, so that moving to and fro yields nothing (money/grant.ts); the periods of the
 * subscription stay where they are.
 */
export async function moveToBundle(
  endUser: EndUser,
  bundle: BundleRecord,
  { nowMs, store, ...context }: ApplicationContext,
): Promise<EndUser> {
  if (endUser.bundleId === bundle.id) return endUser
  const includes = poolIncludes(
    bundle,
    await store.bundles.includes(bundle.id),
    await store.aliases.names(context.application.id),
  )
  // What the pools have is read here and written below: no call may come in between.
  await store.balances.lock(endUser.id)
  for (const mode of modes) {
    const pools = await store.balances.pools(endUser.id, mode)
    const change = planChange({
      fromBundleId: endUser.bundleId ?? '',
      toBundleId: bundle.id,
      includes,
      anchorMs: endUser.subscribedAtMs,
      nowMs,
      pools,
      nextSequence: 1 + Math.max(0, ...pools.map(({ source }) => source.rank.sequence)),
    })
    await store.balances.changePlan(endUser, mode, change, nowMs)
  }
  return { ...endUser, bundleId: bundle.id }
}

/** A bundle's includes with what is fixed at the moment of a grant, as the ledger fixes it too. */
export function poolIncludes(
  { allow, creditCurrency, deny }: BundleRecord,
  includes: readonly BundleInclude[],
  aliasNames: readonly string[],
): Include[] {
  return includes.map((include) => {
    const models = include.models ?? allow
    return {
      slug: include.slug,
      displayName: include.displayName,
      unit: include.unit,
      currency: include.unit === 'credits' ? creditCurrency : null,
      amount: include.amount,
      priceMicros: include.priceMicros,
      thenOnDemand: include.thenOnDemand,
      recurring: include.recurring,
      spilloverTo: include.spilloverTo,
      models,
      modelCount: aliasNames.filter((name) => isAllowed(name, models, deny)).length,
    }
  })
}
