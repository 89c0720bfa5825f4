/** What a price is made of, in words, and prices as people type them: dollars per million tokens, or per use. */
import type { Price } from '#sdk/generated/types.ts'
import { allDimensions, dimensionFacts, type Dimension } from '#money/price.ts'
import { microsOfText, typedDollars } from '#web/ui/money-text.ts'

export const dimensionWords: Readonly<Record<Dimension, string>> = {
  input: 'Input',
  cacheRead: 'Cached input',
  cacheWrite: 'Cache write',
  cacheWriteLong: 'Long cache write',
  audioInput: 'Audio input',
  imageInput: 'Image input',
  output: 'Output',
  reasoning: 'Reasoning',
  audioOutput: 'Audio output',
  imageOutput: 'Image output',
  request: 'Request',
  webSearch: 'Web search',
}

/** Of a dimension that the API names. */
export function rateWords(name: string): string {
  const dimension = allDimensions.find((known) => known === name)
  return dimension === undefined ? name : dimensionWords[dimension].toLowerCase()
}

/** `per M tokens`, or `each` of what is counted by use. */
export function perWords(dimension: Dimension): string {
  return dimensionFacts[dimension].side === 'use' ? 'each' : 'per M tokens'
}

/** The dimensions that one of the prices names, in their one order. */
export function namedDimensions(...prices: readonly (Price | null | undefined)[]): readonly Dimension[] {
  return allDimensions.filter((dimension) => prices.some((price) => price?.[dimension] !== undefined))
}

/** Of a form: dollars by dimension, and what is no plain rate as JSON. */
export type PriceValues = Readonly<Record<Dimension | 'rest', string>>

/** A price as it is typed; none: empty fields. */
export function priceValues(price: Price | null | undefined): PriceValues {
  const { serviceTiers, tiers } = price ?? {}
  const rest = {
    ...(tiers && tiers.length > 0 && { tiers }),
    ...(serviceTiers && Object.keys(serviceTiers).length > 0 && { serviceTiers }),
  }
  const rates = Object.fromEntries(
    allDimensions.map((dimension) => {
      const micros = price?.[dimension]
      return [dimension, micros === undefined ? '' : typedDollars(micros)]
    }),
  ) as Record<Dimension, string>
  return { ...rates, rest: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 2) }
}

/** Returns the typed price. Empty fields are omitted, so a rate of 0 must be typed as 0. */
export function priceOf(values: PriceValues): Price {
  const price: Record<string, unknown> = {}
  for (const dimension of allDimensions) {
    const micros = microsOfText(values[dimension])
    if (micros !== null) price[dimension] = micros
  }
  return { ...price, ...restOf(values.rest) }
}

/** The rates that every price of a bundle has. */
export const soldRates: readonly Dimension[] = ['input', 'output']

/**
 * Returns the errors of the fields, by field.
 * @param required the rates that must not be empty
 */
export function priceFaults(
  values: PriceValues,
  { required = soldRates }: { readonly required?: readonly Dimension[] } = {},
): Partial<Record<keyof PriceValues, string>> {
  const faults: Partial<Record<keyof PriceValues, string>> = {}
  for (const dimension of allDimensions) {
    const text = values[dimension].trim()
    const micros = microsOfText(text)
    if (text === '') {
      if (required.includes(dimension)) faults[dimension] = 'Enter a rate. Enter 0 if it is free.'
    } else if (micros === null) faults[dimension] = 'Write dollars with at most six decimals, like 0.15.'
    else if (BigInt(micros) < 0n) faults[dimension] = 'A rate is not below 0.'
  }
  if (restOf(values.rest) === null) faults.rest = 'It is no JSON with tiers or serviceTiers in it.'
  return faults
}

function restOf(text: string): Pick<Price, 'tiers' | 'serviceTiers'> | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
    const isKnown = Object.keys(value).every((name) => name === 'tiers' || name === 'serviceTiers')
    return isKnown ? value : null
  } catch {
    return null
  }
}
