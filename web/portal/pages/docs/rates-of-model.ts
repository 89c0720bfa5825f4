import { allDimensions, type Dimension, factsOf, isPerUse } from '#money/price.ts'
import type { types } from '#sdk/portal.ts'
import { countText } from '#web/ui/number-text.ts'

export interface Rate {
  readonly words: string
  readonly micros: string
  readonly per: string
}

/** Rates for large inputs follow the other rates. */
export function ratesOf(price: types.Price): Rate[] {
  const tiers = (price.tiers ?? []).map(
    (tier) => [tier, `, above ${countText(tier.aboveInputTokens)} input tokens`] as const,
  )
  return [[price, ''] as const, ...tiers].flatMap(([rates, when]) =>
    allDimensions.flatMap((dimension) => {
      const micros = (rates as Partial<Record<Dimension, string>>)[dimension]
      const [, [first = '', ...rest]] = factsOf(dimension).units
      const words = `${first.toUpperCase()}${rest.join('')}${when}`
      return micros === undefined
        ? []
        : [{ words, micros, per: isPerUse(dimension) ? 'each' : 'per million' }]
    }),
  )
}
