import type { BundleRecord } from '#domain/records.ts'
import type { ApplicationContext } from '#operations/operation.ts'
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
  if (bundle.creditCurrency !== null) return null
  const includes = await store.bundles.includes(bundle.id)
  const counting = includes.filter(({ unit }) => unit === 'credits').map(({ slug }) => slug)
  if (counting.length === 0) return null
  const users = `its includes ${counting.join(', ')}`
  return refused(
    'in_use',
    { resource: 'credit currency of bundle', id: bundle.slug, users },
    'creditCurrency',
  )
}
