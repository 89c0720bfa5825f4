/** The package states dollars as floating-point numbers, with its own names of units. */
import type { ModelPrice } from '@pydantic/genai-prices'
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import {
  allDimensions,
  priceFromJson,
  priceToJson,
  type Dimension,
  type PriceJson,
  type RatesJson,
} from '#money/price.ts'
import { exactly } from './exact-decimal.ts'

/** Maps a unit of the package to our dimension, and to the factor from dollars to micros: per million, or per use. */
const units: Readonly<Record<string, { readonly dimension: Dimension; readonly powerOfTen: number }>> = {
  input_mtok: { dimension: 'input', powerOfTen: 6 },
  cache_read_mtok: { dimension: 'cacheRead', powerOfTen: 6 },
  cache_write_mtok: { dimension: 'cacheWrite', powerOfTen: 6 },
  cache_write_1h_mtok: { dimension: 'cacheWriteLong', powerOfTen: 6 },
  cache_audio_read_mtok: { dimension: 'cacheReadAudio', powerOfTen: 6 },
  input_audio_mtok: { dimension: 'audioInput', powerOfTen: 6 },
  input_image_mtok: { dimension: 'imageInput', powerOfTen: 6 },
  output_mtok: { dimension: 'output', powerOfTen: 6 },
  output_reasoning_mtok: { dimension: 'reasoning', powerOfTen: 6 },
  output_audio_mtok: { dimension: 'audioOutput', powerOfTen: 6 },
  output_image_mtok: { dimension: 'imageOutput', powerOfTen: 6 },
  requests_kcount: { dimension: 'request', powerOfTen: 3 },
  web_searches_kcount: { dimension: 'webSearch', powerOfTen: 3 },
  storage_searches_kcount: { dimension: 'fileSearch', powerOfTen: 3 },
}

/**
 * Units of the package for which this gateway has no price dimension, but which do not exclude a model from the price
 * file. Videos are billed as input, and embeddings of videos are rejected. Cached images cost the same as other cached
 * input (docs/reference/prices.md).
 */
const passedOver = new Set(['input_video_mtok', 'cache_image_read_mtok'])

/**
 * Dimensions that a vendor reports separately, although the package has only the price of input for them. Without a
 * price, such a dimension would be charged at the most expensive rate for input or for output.
 */
const partsOfInput: Readonly<Partial<Record<ProviderKind, readonly Dimension[]>>> = {
  openai: ['cacheWrite', 'imageInput'],
  google: ['audioInput', 'imageInput'],
}

/**
 * Rates that a vendor publishes, but for which the package has no unit. Anthropic bills $0.05 for an hour of a
 * container that runs code, and at least five minutes. OpenAI bills $0.03 for a container of 1 GB. The rates are added
 * to models that have a price for web search, because these models can also run code.
 */
const codeSessions: Readonly<Partial<Record<ProviderKind, string>>> = { anthropic: '4167', openai: '30000' }

export function exactPrice(modelPrice: ModelPrice, kind: ProviderKind): PriceJson | string {
  const rates: Record<string, string> = {}
  const tiers = new Map<number, Record<string, string>>()
  for (const [unit, value] of Object.entries(modelPrice)) {
    if (value === undefined || passedOver.has(unit)) continue
    const known = units[unit]
    if (known === undefined) return `is charged by ${unit}`
    const whole = (dollars: number): string | null => exactly(dollars, known.powerOfTen)?.toString() ?? null
    const base = whole(typeof value === 'number' ? value : value.base)
    if (base === null) return `${unit} is not a whole number of micros`
    rates[known.dimension] = base
    for (const { price, start } of typeof value === 'number' ? [] : value.tiers) {
      const rate = whole(price)
      if (rate === null) return `${unit} above ${start} is not a whole number of micros`
      tiers.set(start, { ...tiers.get(start), [known.dimension]: rate })
    }
  }
  for (const part of partsOfInput[kind] ?? []) {
    if (rates['input'] === undefined || rates[part] !== undefined) continue
    rates[part] = rates['input']
    for (const tier of tiers.values()) if (tier['input'] !== undefined) tier[part] = tier['input']
  }
  const codeSession = rates['webSearch'] === undefined ? undefined : codeSessions[kind]
  const json = {
    ...rates,
    ...(codeSession !== undefined && { codeSession }),
    ...(tiers.size > 0 && {
      tiers: [...tiers]
        .toSorted(([one], [other]) => one - other)
        .map(([aboveInputTokens, tier]) => ({ aboveInputTokens, ...tier })),
    }),
  }
  const price = priceFromJson(json)
  return price === null ? 'is no price' : priceToJson(price)
}

/**
 * The price format cannot express a price that changes by the hour. With the most expensive rates, the held amount and
 * the charge are never less than the provider's bill. Null if the prices differ in more than their rates.
 */
export function dearestOf(prices: readonly PriceJson[]): PriceJson | null {
  const [first, ...others] = prices
  if (first === undefined) return null
  const rates: { [dimension in Dimension]?: string } = {}
  for (const dimension of allDimensions) {
    const all = prices.map((price) => price[dimension])
    if (all.every((rate) => rate === undefined)) continue
    let dearest = 0n
    for (const rate of all) {
      if (rate === undefined) return null
      if (BigInt(rate) > dearest) dearest = BigInt(rate)
    }
    rates[dimension] = dearest.toString()
  }
  return [first, ...others].some(({ tiers }) => tiers !== undefined) ? null : (rates satisfies RatesJson)
}
