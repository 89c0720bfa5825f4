import type { IncludeTerms } from '#money/plan-pools.ts'
import type { BundleRecord } from '#domain/billing/bundle-record.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { refused, type Refused } from '#operations/kernel/returned-error.ts'

export const plainCurrency = 'credits'

type Counted = Pick<BundleRecord, 'id' | 'slug' | 'creditCurrency'>

/**
 * Rejects null while pools of the bundle count credits, and another currency while end users hold credits. The old
 * credits would otherwise get the price of the new credits.
 * @param before the stored bundle; null if the bundle is new, or if it replaces a deleted bundle whose credits end
 *   users may still have
 */
export async function currencyInUse(
  bundle: Counted,
  before: Counted | null,
  context: ApplicationContext,
): Promise<Refused<'in_use'> | null> {
  const counted =
    bundle.creditCurrency === null
      ? currencyCountedBy(bundle.slug, await context.store.bundles.includes(bundle.id), 'creditCurrency')
      : null
  return counted ?? currencyHeld(bundle, before, 'creditCurrency', context)
}

/** Rejects renaming a credit currency while end users hold such credits. */
export async function currencyHeld(
  { creditCurrency, id, slug }: Counted,
  before: Pick<Counted, 'creditCurrency'> | null,
  param: string,
  context: ApplicationContext,
): Promise<Refused<'in_use'> | null> {
  if (before?.creditCurrency === creditCurrency) return null
  const nowMs = { live: modeTime(context, 'live'), test: modeTime(context, 'test') }
  const holders = await context.store.bundles.holdersOfOtherCredits(id, creditCurrency, nowMs)
  if (holders === 0) return null
  const users = `credits that ${holders} end ${holders === 1 ? 'user holds' : 'users hold'}`
  const remedy =
    'Keep the currency until the credits are spent or expired, or create another bundle for the new currency'
  return refused('in_use', { resource: 'credit currency of bundle', id: slug, users, remedy }, param)
}

/** Rejects removing the credit currency while pools of the bundle count credits. */
export function currencyCountedBy(
  slug: string,
  includes: readonly Pick<IncludeTerms, 'slug' | 'unit'>[],
  param: string,
): Refused<'in_use'> | null {
  const counting = includes.filter(({ unit }) => unit === 'credits').map((include) => include.slug)
  if (counting.length === 0) return null
  const users = `its includes ${counting.join(', ')}`
  return refused('in_use', { resource: 'credit currency of bundle', id: slug, users }, param)
}
