import { reportedDimensions } from '#domain/reported-dimensions.ts'
import type { AliasRecord, Provider } from '#domain/store.ts'
import { missingDimensions, type Dimension, type Price } from '#money/price.ts'

export type ModelStatus = 'serving' | 'disabled' | 'unpriced'

/** One source with what its account is charged; null: unknown. */
export interface PricedSource {
  readonly provider: Provider
  readonly model: string
  readonly price: Price | null
}

export interface ModelState {
  readonly status: ModelStatus
  /** One sentence per source that is passed over, and what serves instead. */
  readonly problems: readonly string[]
  /** The first source that lacks a price, and what it lacks; null: one of them can serve. */
  readonly missing: { readonly account: string; readonly dimensions: readonly Dimension[] } | null
}

/**
 * Whether a name is served. A source without a price is passed over, since what it costs could not be
 * held; a name none of whose sources has one is `unpriced`, and serves by itself once it has. A bundle
 * that sells the name at a price of its own serves it without knowing the cost: there, cost = sell.
 */
export function modelState(
  { isDisabled }: Pick<AliasRecord, 'isDisabled'>,
  sources: readonly PricedSource[],
  pricedIn: readonly string[],
): ModelState {
  const lacking = sources.map((source) => ({
    source,
    dimensions: missingDimensions(source.price ?? {}, reportedDimensions[source.provider.kind]),
  }))
  const problems = lacking
    .filter(({ dimensions }) => dimensions.length > 0)
    .map(
      ({ dimensions, source }) =>
        `${source.provider.label} has no price for ${dimensions.join(', ')} of ${source.model}; set it with POST /v1/providers/${source.provider.label}/price`,
    )
  const isPriced = lacking.some(({ dimensions }) => dimensions.length === 0)
  const [first] = lacking
  const missing =
    isPriced || !first ? null : { account: first.source.provider.label, dimensions: first.dimensions }
  if (missing && pricedIn.length > 0)
    problems.push(`served only in the bundles that price it: ${pricedIn.join(', ')}`)
  const isServable = isPriced || pricedIn.length > 0
  return { status: isDisabled ? 'disabled' : isServable ? 'serving' : 'unpriced', problems, missing }
}
