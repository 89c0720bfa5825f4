import type { IncludeTerms } from '#money/plan-pools.ts'
import type { BundleRecord } from '#domain/records.ts'
import type { ApplicationContext } from '#operations/context.ts'
import { refused, type Refused } from '#operations/refused.ts'

/** The currency of credits without a name. */
export const plainCurrency = 'credits'

/**
 * A bundle whose includes count credits needs a currency. Renaming is allowed: pools keep the name of their
 * grant.
 */
export async function currencyInUse(
  bundle: Pick<BundleRecord, 'id' | 'slug' | 'creditCurrency'>,
  { store }: ApplicationContext,
): Promise<Refused<'in_use'> | null> {
  return bundle.creditCurrency === null
    ? currencyCountedBy(bundle.slug, await store.bundles.includes(bundle.id), 'creditCurrency')
    : null
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
