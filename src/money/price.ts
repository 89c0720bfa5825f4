/**
 * A rate is an integer number of **micros per million units**, or micros per use for most dimensions of the side `use`.
 * Vendors state prices in dollars per million tokens, so their prices are whole numbers of micros per million tokens.
 * The cost of a request then needs only one division, at the end (cost.ts). The rates of a credit price are in
 * millionths of a credit per million units.
 *
 * A dimension without a rate has **no price**, which does not mean free. A price of 0 must be set explicitly.
 */
import { formatMicros, microsMax, parseMicros } from './amount.ts'
import { type DimensionFacts, dimensionFacts } from './price-dimensions.ts'

export type Dimension = keyof typeof dimensionFacts
type Side = (typeof dimensionFacts)[Dimension]['side']
export type DimensionOn<Of extends Side> = {
  [Name in Dimension]: (typeof dimensionFacts)[Name]['side'] extends Of ? Name : never
}[Dimension]
export type TokenDimension = DimensionOn<'text' | 'media' | 'output'>
export type UseCount = {
  [Name in Dimension]: (typeof dimensionFacts)[Name] extends { readonly count: infer Count extends string }
    ? Count
    : never
}[Dimension]

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a constant are its keys
export const allDimensions = Object.keys(dimensionFacts) as readonly Dimension[]

export function factsOf(dimension: Dimension): DimensionFacts {
  return dimensionFacts[dimension]
}

export function sideOf<Name extends Dimension>(dimension: Name): (typeof dimensionFacts)[Name]['side'] {
  return dimensionFacts[dimension].side
}

export function isDimension(name: string): name is Dimension {
  return Object.hasOwn(dimensionFacts, name)
}

export function isPerUse(name: string): boolean {
  return isDimension(name) && sideOf(name) === 'use' && factsOf(name).isPerMillion !== true
}

/** The result has the order of the table. */
export function dimensionsOn<Of extends Side>(...sides: readonly Of[]): readonly DimensionOn<Of>[] {
  const wanted: readonly Side[] = sides
  return allDimensions.filter((name): name is DimensionOn<Of> => wanted.includes(sideOf(name)))
}

/** The dimensions of the side `use` whose counts providers report, each with the name of its count. */
export const countedUses = dimensionsOn('use').flatMap((dimension) => {
  const { count, replacesTokens = false } = factsOf(dimension)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the counts of the table
  return typeof count === 'string' ? [{ dimension, count: count as UseCount, replacesTokens }] : []
})

/**
 * The length of transcripts, speech and images depends only on the request, so the maximum for output does not limit
 * them.
 */
export const fixedOutputs = ['output', 'audioOutput', 'imageOutput'] as const

/**
 * Counts that are known from the request alone: billed uses (such as search units), and the kinds of output in
 * `fixedOutputs`. An absent count is 0.
 */
export type Uses = { readonly [count in UseCount | (typeof fixedOutputs)[number]]?: number }

export type Rates = { readonly [dimension in Dimension]?: bigint }

export interface Price extends Rates {
  /**
   * Price tiers. If the **whole input** of the request (including cached input) exceeds `aboveInputTokens`, the rates
   * of the tier replace the rates above. The rate of the tier applies to every token of the request, as at the vendors.
   * Tiers are in ascending order with different thresholds. A dimension that a tier omits keeps the rate of the
   * previous tier. A tier can contain only dimensions that the price itself contains.
   */
  readonly tiers?: readonly Tier[]
  /** The provider reports the key. The value is a multiplier in thousandths (2000 = twice the price). */
  readonly serviceTiers?: { readonly [serviceTier: string]: bigint }
}

export interface Tier extends Rates {
  readonly aboveInputTokens: number
}

/** The maximum multiplier, in thousandths: 1,000 times the price. A larger multiplier must be a typing error. */
const multiplierMax = 1_000_000n

type MutableRates = { -readonly [dimension in Dimension]?: bigint }

export function ratesFor(price: Price, inputTokens: number): Rates {
  return overTiers(price, inputTokens, (_before, tier) => tier)
}

/**
 * Returns the highest rate per dimension for a request with **at most** this much input. A higher tier may have lower
 * rates, so the rates of the highest tier alone are no worst case for smaller requests.
 */
export function highestRates(price: Price, inputTokensMax: number): Rates {
  return overTiers(price, inputTokensMax, (before, tier) =>
    before === undefined || tier > before ? tier : before,
  )
}

function overTiers(
  price: Price,
  inputTokens: number,
  choose: (before: bigint | undefined, tier: bigint) => bigint,
): Rates {
  const first = price.tiers?.[0]
  // Most prices have no tiers and most requests reach no tier, so no copy is needed.
  if (price.tiers === undefined || first === undefined || inputTokens <= first.aboveInputTokens) return price
  const rates: MutableRates = {}
  for (const dimension of allDimensions) {
    let rate = price[dimension]
    for (const tier of price.tiers) {
      if (inputTokens <= tier.aboveInputTokens) break
      const tierRate = tier[dimension]
      if (tierRate !== undefined) rate = choose(rate, tierRate)
    }
    if (rate !== undefined) rates[dimension] = rate
  }
  return rates
}

export function missingDimensions<Name extends Dimension>(price: Price, required: readonly Name[]): Name[] {
  return required.filter((dimension) => price[dimension] === undefined)
}

/** Each error is one sentence. An empty list means that the price is valid. */
export function priceFaults(price: Price): string[] {
  const faults = rateFaults(price, '', ['tiers', 'serviceTiers'])
  if (price.input === undefined && price.output === undefined) {
    faults.push(
      'a rate for input or output is missing; set input to 0 for a model that bills only characters, seconds, images or searches',
    )
  }
  let above = -1
  for (const tier of price.tiers ?? []) {
    const name = `tier above ${tier.aboveInputTokens}: `
    faults.push(...rateFaults(tier, name, ['aboveInputTokens']))
    if (!Number.isSafeInteger(tier.aboveInputTokens) || tier.aboveInputTokens < 0) {
      faults.push(`${name}the threshold is not a count of tokens`)
    } else if (tier.aboveInputTokens <= above) {
      faults.push(`${name}thresholds must ascend`)
    } else {
      above = tier.aboveInputTokens
    }
    for (const dimension of allDimensions) {
      // If only the tier had a rate, a request below the tier would use the rate of another dimension. The highest rate
      // per dimension would then not be an upper limit for all requests.
      if (tier[dimension] !== undefined && price[dimension] === undefined) {
        faults.push(`${name}${dimension} has no price below the tier`)
      }
    }
  }
  for (const [serviceTier, multiplier] of Object.entries(price.serviceTiers ?? {})) {
    if (multiplier < 1n || multiplier > multiplierMax) {
      faults.push(`service tier ${serviceTier}: the multiplier must be 1 to ${multiplierMax} thousandths`)
    }
  }
  return faults
}

/** @param name prefix of each error */
function rateFaults(rates: object, name: string, otherKeys: readonly string[]): string[] {
  const faults: string[] = []
  const entries: [string, unknown][] = Object.entries(rates)
  for (const [key, value] of entries) {
    if (otherKeys.includes(key)) continue
    if (!isDimension(key)) faults.push(`${name}there is no dimension ${key}`)
    else if (typeof value !== 'bigint') faults.push(`${name}${key} is not a whole number`)
    else if (value < 0n) faults.push(`${name}${key} is negative`)
    else if (value > microsMax) faults.push(`${name}${key} is larger than ${microsMax}`)
  }
  return faults
}

/** The JSON form of `Price`. Amounts are decimal strings, and absent fields remain absent. */
export interface PriceJson extends RatesJson {
  readonly tiers?: readonly TierJson[]
  readonly serviceTiers?: { readonly [serviceTier: string]: string }
}
export type RatesJson = { readonly [dimension in Dimension]?: string }
export interface TierJson extends RatesJson {
  readonly aboveInputTokens: number
}

/** The order of keys is fixed, so equal prices have equal texts and can be stored by content. */
export function priceToJson(price: Price): PriceJson {
  return {
    ...ratesToJson(price),
    ...(price.tiers && {
      tiers: price.tiers.map((tier) => ({ aboveInputTokens: tier.aboveInputTokens, ...ratesToJson(tier) })),
    }),
    ...(price.serviceTiers && {
      serviceTiers: Object.fromEntries(
        Object.entries(price.serviceTiers)
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .map(([serviceTier, multiplier]) => [serviceTier, formatMicros(multiplier)]),
      ),
    }),
  }
}

function ratesToJson(rates: Rates): RatesJson {
  const json: { -readonly [dimension in Dimension]?: string } = {}
  for (const dimension of allDimensions) {
    const rate = rates[dimension]
    if (rate !== undefined) json[dimension] = formatMicros(rate)
  }
  return json
}

/** Returns null for anything except a valid price. */
export function priceFromJson(json: unknown): Price | null {
  if (!isRecord(json)) return null
  const { tiers: tiersJson, serviceTiers: serviceTiersJson, ...ratesJson } = json
  // A key that is not a dimension is read as a rate here, and reported as an error below.
  const rates = amountsFromJson(ratesJson)
  const tiers = tiersJson === undefined ? undefined : tiersFromJson(tiersJson)
  const serviceTiers = serviceTiersJson === undefined ? undefined : amountsFromJson(serviceTiersJson)
  if (rates === null || tiers === null || serviceTiers === null) return null
  const price: Price = { ...rates, ...(tiers && { tiers }), ...(serviceTiers && { serviceTiers }) }
  return priceFaults(price).length === 0 ? price : null
}

function tiersFromJson(json: unknown): Tier[] | null {
  if (!Array.isArray(json)) return null
  const tiers: Tier[] = []
  for (const tierJson of json as unknown[]) {
    if (!isRecord(tierJson)) return null
    const { aboveInputTokens, ...ratesJson } = tierJson
    const rates = amountsFromJson(ratesJson)
    if (rates === null || typeof aboveInputTokens !== 'number') return null
    tiers.push({ aboveInputTokens, ...rates })
  }
  return tiers
}

function amountsFromJson(json: unknown): Record<string, bigint> | null {
  if (!isRecord(json)) return null
  const amounts: [string, bigint][] = []
  for (const [key, text] of Object.entries(json)) {
    const amount = typeof text === 'string' ? parseMicros(text) : null
    if (amount === null) return null
    amounts.push([key, amount])
  }
  // `fromEntries` defines own properties, so a key `__proto__` remains a key and is rejected like any unknown key.
  return Object.fromEntries(amounts)
}

function isRecord(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

/** Service tiers that cost at most the listed price, such as each vendor's default tier (`on_demand` is Groq's). */
const plainTiers: ReadonlySet<string> = new Set([
  'auto',
  'default',
  'standard',
  'standard_only',
  'on_demand',
  'unspecified',
  'flex',
])

export function isPlainTier(serviceTier: string): boolean {
  return plainTiers.has(serviceTier.toLowerCase())
}
