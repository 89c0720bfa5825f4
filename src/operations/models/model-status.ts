import { lackingDimensions, servingOf } from '#domain/serving.ts'
import type { AliasRecord, Provider } from '#domain/records.ts'
import type { Dimension, Price } from '#money/price.ts'

export type ModelStatus = 'serving' | 'disabled' | 'unpriced'

/** One source with the price of its account; null: unknown. */
export interface PricedSource {
  readonly provider: Provider
  readonly model: string
  readonly price: Price | null
}

export interface ModelState {
  readonly status: ModelStatus
  /** One sentence per source that is passed over, and the bundles that serve the alias. */
  readonly problems: readonly string[]
  /** The first source without a complete price, and the missing dimensions; null: a source can serve. */
  readonly missing: { readonly account: string; readonly dimensions: readonly Dimension[] } | null
}

/**
 * Whether an alias is served (domain/serving.ts), and what its sources lack. An alias without a priced source
 * is `unpriced`, and is served once a source has a price; a bundle with a price of its own serves it before.
 */
export function modelState(
  { isDisabled }: Pick<AliasRecord, 'isDisabled'>,
  sources: readonly PricedSource[],
  pricedIn: readonly string[],
): ModelState {
  const all = sources.map(({ model, price, provider }) => ({ account: provider, model, price }))
  const problems = all.flatMap((source) => {
    const dimensions = lackingDimensions(source).join(', ')
    const { account, model } = source
    return dimensions === ''
      ? []
      : `${account.label} has no price for ${dimensions} of ${model}; set what the account is charged`
  })
  const atCost = servingOf({ isDisabled: false, sources: all }, null)
  const isUnpriced = atCost.kind === 'model_unpriced'
  if (isUnpriced && pricedIn.length > 0)
    problems.push(`served only in the bundles that price it: ${pricedIn.join(', ')}`)
  const isServed = atCost.kind === 'served' || (isUnpriced && pricedIn.length > 0)
  return {
    status: isDisabled ? 'disabled' : isServed ? 'serving' : 'unpriced',
    problems,
    missing: isUnpriced ? { account: atCost.source.account.label, dimensions: atCost.dimensions } : null,
  }
}
