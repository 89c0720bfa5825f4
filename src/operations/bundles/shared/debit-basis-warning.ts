import * as z from 'zod'
import type { BundlePrice, BundleRecord } from '#domain/billing/bundle-record.ts'

/** The application's team should choose the debit basis of a bundle explicitly. */
export const BundleWarning = z
  .object({
    code: z
      .enum(['debit_basis_not_set'])
      .meta({ description: 'Stable code of the warning.', examples: ['debit_basis_not_set'] }),
    message: z.string().meta({
      description: 'Description of the current behavior, and the request that changes the behavior.',
    }),
  })
  .meta({
    id: 'BundleWarning',
    description: 'A warning about a setting of the bundle that was never set explicitly.',
  })

/**
 * Whether a bundle has its own prices but no explicit debit basis. Its end users pay the provider's price and can see
 * it.
 */
export function isBasisUndecided(
  { debitBasis, isDebitBasisChosen }: Pick<BundleRecord, 'debitBasis' | 'isDebitBasisChosen'>,
  prices: readonly Pick<BundlePrice, 'price'>[],
): boolean {
  return debitBasis === 'provider_cost' && !isDebitBasisChosen && prices.some(({ price }) => price !== null)
}

export function warningsOf(
  bundle: Pick<BundleRecord, 'debitBasis' | 'isDebitBasisChosen' | 'slug'>,
  prices: readonly Pick<BundlePrice, 'price'>[],
): z.output<typeof BundleWarning>[] {
  if (!isBasisUndecided(bundle, prices)) return []
  const call = `PATCH /v1/bundles/${bundle.slug}`
  return [
    {
      code: 'debit_basis_not_set',
      message: `The bundle has sell prices, but its end users are charged what the provider charges, and the portal shows them that price. Send ${call} with debitBasis sell_price to charge the sell prices, or with provider_cost to keep the current charges.`,
    },
  ]
}
