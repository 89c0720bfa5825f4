import type { types } from '#sdk/portal.ts'

export interface Rate {
  readonly words: string
  readonly micros: string
  readonly per: string
}

const million = 'per million'

const names = [
  ['input', 'Tokens in', million],
  ['cacheRead', 'Cached tokens in', million],
  ['cacheWrite', 'Tokens written to the cache', million],
  ['cacheWriteLong', 'Tokens written to the long cache', million],
  ['audioInput', 'Tokens of sound in', million],
  ['imageInput', 'Tokens of images in', million],
  ['output', 'Tokens out', million],
  ['reasoning', 'Tokens of reasoning', million],
  ['audioOutput', 'Tokens of sound out', million],
  ['imageOutput', 'Tokens of images out', million],
  ['request', 'Each call', 'each'],
  ['webSearch', 'Each web search', 'each'],
] as const

/** Returns the rates of a price in words. Rates for large inputs follow the ordinary ones. */
export function ratesOf(price: types.Price): Rate[] {
  const tiers = (price.tiers ?? []).map(
    (tier) => [tier, `, above ${tier.aboveInputTokens} tokens in`] as const,
  )
  return [[price, ''] as const, ...tiers].flatMap(([rates, when]) =>
    names.flatMap(([name, words, per]) => {
      const micros = (rates as Partial<Record<typeof name, string>>)[name]
      return micros === undefined ? [] : [{ words: words + when, micros, per }]
    }),
  )
}
