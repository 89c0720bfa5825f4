import type { types } from '#sdk/portal.ts'

export interface Rate {
  readonly words: string
  readonly micros: string
  readonly per: string
}

const million = 'per million'

const names = [
  ['input', 'Input tokens', million],
  ['cacheRead', 'Cached input tokens', million],
  ['cacheWrite', 'Tokens written to the cache', million],
  ['cacheWriteLong', 'Tokens written to the long cache', million],
  ['audioInput', 'Audio input tokens', million],
  ['imageInput', 'Image input tokens', million],
  ['output', 'Output tokens', million],
  ['reasoning', 'Reasoning tokens', million],
  ['audioOutput', 'Audio output tokens', million],
  ['imageOutput', 'Image output tokens', million],
  ['request', 'Requests', 'each'],
  ['webSearch', 'Web searches', 'each'],
] as const

/** Returns the rates of a price in words. Rates for large inputs follow the ordinary ones. */
export function ratesOf(price: types.Price): Rate[] {
  const tiers = (price.tiers ?? []).map(
    (tier) => [tier, `, above ${tier.aboveInputTokens} input tokens`] as const,
  )
  return [[price, ''] as const, ...tiers].flatMap(([rates, when]) =>
    names.flatMap(([name, words, per]) => {
      const micros = (rates as Partial<Record<typeof name, string>>)[name]
      return micros === undefined ? [] : [{ words: words + when, micros, per }]
    }),
  )
}
