import type { IncludeTerms } from '#money/plan-pools.ts'
import type { BundleRecord } from '#domain/records.ts'
import type { ApplicationContext } from '#operations/context.ts'
import { modeTime } from '#operations/mode-time.ts'
import { refused, type Refused } from '#operations/refused.ts'

/** The currency of credits without a name. */
export const plainCurrency = 'credits'

type Counted = Pick<BundleRecord, 'id' | 'slug' | 'creditCurrency'>

/**
 * Rejects a new credit currency that its bundle cannot take: none while includes count credits, and another one while
 * end users hold credits. The credit price is in the currency of the bundle, so credits of the old currency would be
 * spent at the price of the new one.
 * @param before as it is stored. Null if it is new, or takes the place of a removed one, whose credits may be held yet
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

/** Rejects to rename the currency of credits that end users hold. */
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
  const remedy = 'keep the currency until they are spent or expired, or use another bundle for the new one'
  return refused('in_use', { resource: 'credit currency of bundle', id: slug, users, remedy }, param)
}

/** Refuses to take the currency of a bundle away from the includes that count in it. */
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
