import type { Price } from '#sdk/generated/types.ts'
import { allDimensions, type Dimension, factsOf, isPerUse, sideOf } from '#money/price.ts'
import { microsOfText, typedDollars } from '#web/ui/money-text.ts'

export const priceRemoved =
  'Starting with the next request, end users are charged the provider price for this model.'

export function rateWords(name: string): string {
  const dimension = allDimensions.find((known) => known === name)
  return dimension === undefined ? name : factsOf(dimension).label.toLowerCase()
}

export function perWords(dimension: Dimension): string {
  if (isPerUse(dimension)) return 'each'
  return `per M ${sideOf(dimension) === 'use' ? factsOf(dimension).units[1] : 'tokens'}`
}

/** In a fixed order. */
export function namedDimensions(...prices: readonly (Price | null | undefined)[]): readonly Dimension[] {
  return allDimensions.filter((dimension) => prices.some((price) => price?.[dimension] !== undefined))
}

/** Dollars by dimension. `rest` is the remaining parts of the price as JSON. */
export type PriceValues = Readonly<Record<Dimension | 'rest', string>>

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

/** Empty fields are omitted, so users must type `0` for a rate of 0. */
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

/** @param required the rates that must not be empty */
export function priceFaults(
  values: PriceValues,
  { required = soldRates }: { readonly required?: readonly Dimension[] } = {},
): Partial<Record<keyof PriceValues, string>> {
  const faults: Partial<Record<keyof PriceValues, string>> = {}
  for (const dimension of allDimensions) {
    const text = values[dimension].trim()
    const micros = microsOfText(text)
    if (text === '') {
      if (required.includes(dimension)) faults[dimension] = 'Enter a rate, or 0 if usage is free.'
    } else if (micros === null) faults[dimension] = 'Enter dollars with at most six decimals, like 0.15.'
    else if (BigInt(micros) < 0n) faults[dimension] = 'Enter a rate of 0 or more.'
  }
  if (restOf(values.rest) === null) faults.rest = 'Enter a JSON object with tiers or serviceTiers.'
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
