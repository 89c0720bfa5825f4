import type { Check } from './finding-types.ts'

/** Without a chosen debit basis, end users pay the provider's price although the bundle has sell prices. */
export const debitBasis: Check = {
  name: 'debit_basis',
  looksAt: 'Whether a debit basis was set for every bundle with sell prices.',
  async run({ names }) {
    const { bundles } = await names()
    return bundles
      .filter(({ isBasisUndecided }) => isBasisUndecided)
      .map(({ bundle: { slug } }) => ({
        code: 'debit_basis_not_set',
        severity: 'warning' as const,
        resource: { type: 'bundle', id: slug },
        message: `The bundle ${slug} has sell prices, but its end users are charged what the provider charges, and the portal shows them that price.`,
        fix: {
          say: 'Charge the sell prices, or set the debit basis to the provider cost to keep the current charges.',
          call: {
            operation: 'bundles.edit',
            method: 'PATCH' as const,
            path: `/v1/bundles/${slug}`,
            body: { debitBasis: 'sell_price' },
          },
        },
      }))
  },
}
