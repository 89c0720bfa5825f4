/**
 * A cost is the sum of `units x rate x multiplier` over all dimensions. The multiplier of the service tier applies to
 * all dimensions except the fees of tools and of storage (`multiplierOf`). The cost is computed exactly, divided **once**
 * and rounded up. The rounded cost is therefore at most one micro above the exact
 * cost. `worstTerms` applies the same rules with the highest rate that can apply to each kind of unit. Every plausible
 * usage within the bound fulfills the following inequality:
 *
 *     costOf(usage).amount <= worstAt(worstTerms(bound), bound.outputTokens)
 *
 * Usage in a dimension without a rate is never free. Such a dimension is charged at the rate of the nearest related
 * dimension (`rateOf`), which its cost line reports as assumed. A dimension that is part of a total with a known rate
 * is not reported as assumed. For example, cached input without a rate costs the same as input, and reasoning without a
 * rate the same as output.
 */
import { assertMoney, ceilDiv, maxOf } from './amount.ts'
import type { CallBound, CanReport, Quote, ToolBound } from './decision-types.ts'
import {
  highestRates,
  countedUses,
  type Dimension,
  dimensionsOn,
  factsOf,
  fixedOutputs,
  isPerUse,
  isPlainTier,
  type Price,
  type Rates,
  ratesFor,
  sideOf,
  type TokenDimension,
  type Uses,
} from './price.ts'
import { isPlausible, plainOutput, totalInput, type Usage } from './usage-counts.ts'

export interface Cost {
  /** In micros, or in millionths of a credit if the price is in credits. */
  readonly amount: bigint
  /** The part of `amount` that comes from assumed rates, rounded up. */
  readonly assumed: bigint
  /** The multiplier of the service tier, in thousandths: 1000 if no multiplier applies. */
  readonly multiplier: bigint
  readonly lines: readonly CostLine[]
}

export interface CostLine {
  readonly dimension: Dimension
  /** Number of tokens or uses. `output` excludes tokens that other output dimensions count. */
  readonly units: number
  /** Rate per million tokens, or per use. Null if neither the dimension nor any related dimension has a price. */
  readonly rate: bigint | null
  /** Whether the rate was taken from another dimension or another price. */
  readonly assumed: boolean
}

/** Rates are per million units, and multipliers are in thousandths. */
const perUnit = 1_000_000n
const perWhole = perUnit * 1000n
const plainMultiplier = 1000n

const textDimensions = dimensionsOn('text')
const inputDimensions = dimensionsOn('text', 'media')
const mediaDimensions = dimensionsOn('media')
const outputDimensions = dimensionsOn('output')
const tokenDimensions = [...inputDimensions, ...outputDimensions]

/**
 * If the price has the dimension `request`, this dimension counts once per call, because no provider reports its count.
 * @param usage must be plausible (usage-counts.ts); the caller replaces an implausible report by the gateway's own
 *   count
 * @param assumed the dimensions for which assumed-rates.ts filled in the rate in `price`
 */
export function costOf(usage: Usage, price: Price, assumed: readonly Dimension[] = noDimensions): Cost {
  assertMoney(isPrice(price), 'costOf: the price names input or output')
  assertMoney(isPlausible(usage), 'costOf: the usage is plausible')
  const rates = ratesFor(price, totalInput(usage))
  const counts = usage.isMediaWithin === true ? mostExpensiveSplit(usage, rates) : usage
  const multiplier = reportedMultiplier(price, usage.serviceTier)
  const lines: CostLine[] = []
  let sum = 0n
  let assumedSum = 0n
  const addLine = (dimension: Dimension, units: number, rate: bigint, scale: bigint): void => {
    const isAssumed = isAssumedRate(dimension, rates, assumed)
    const exact = BigInt(units) * rate * scale * multiplierOf(dimension, multiplier)
    sum += exact
    if (isAssumed) assumedSum += exact
    lines.push({ dimension, units, rate, assumed: isAssumed })
  }
  for (const dimension of tokenDimensions) {
    const units = dimension === 'output' ? plainOutput(counts) : counts[dimension]
    if (units > 0) addLine(dimension, units, rateOf(dimension, rates), 1n)
  }
  if (rates.request !== undefined) addLine('request', 1, rates.request, perUnit)
  for (const { count, dimension, replacesTokens } of countedUses) {
    const units = usage[count]
    if (units <= 0) continue
    const rate = rates[dimension]
    if (rate !== undefined) addLine(dimension, units, rate, scaleOf(dimension))
    else if (!replacesTokens) lines.push({ dimension, units, rate: null, assumed: true })
  }
  const amount = ceilDiv(sum, perWhole)
  assertMoney(amount * perWhole >= sum, 'costOf: rounding never pays for the caller')
  assertMoney(amount * perWhole < sum + perWhole, 'costOf: rounding takes less than one micro')
  const assumedAmount = assumedSum === 0n ? 0n : ceilDiv(assumedSum, perWhole)
  return { amount, assumed: assumedAmount, multiplier, lines }
}

/** @param multiplier the multiplier of the service tier, in thousandths */
export function multiplierOf(dimension: Dimension, multiplier: bigint): bigint {
  return factsOf(dimension).isSameInEveryTier === true ? plainMultiplier : multiplier
}

const noDimensions: readonly Dimension[] = []

/**
 * Returns whether the provider reports web searches although the price has no rate for web searches. The cost of these
 * searches counts as 0, but the account probably pays for them.
 */
export function hasUnpricedUse(usage: Usage, price: Price): boolean {
  return usage.webSearches > 0 && ratesFor(price, totalInput(usage)).webSearch === undefined
}

/**
 * Returns whether the provider reports a service tier that probably costs more than the listed price, although the price
 * has no factor for the tier. A project or a workspace at the provider can have such a tier as its default.
 */
export function hasUnpricedTier({ serviceTier }: Pick<Usage, 'serviceTier'>, price: Price): boolean {
  if (serviceTier === null || serviceTier === 'batch' || isPlainTier(serviceTier)) return false
  return listedMultiplier(price, serviceTier) === undefined
}

/** Uses the rates that were known when the request was admitted. */
export function providerCost(usage: Usage, { cost, assumed }: Pick<Quote, 'cost' | 'assumed'>): Cost {
  return costOf(usage, cost, assumed)
}

/**
 * Converts overlapping input counts to disjoint counts, in the most expensive way possible. Each token has one medium
 * (text, audio or image) and one cache state (uncached, or in one of the caches). Only the totals for each medium and
 * for each cache state are known. A text token costs the rate of its cache state. A media token that is more expensive
 * than text keeps its own rate if the cache's rate is lower. Other media tokens cost their own rate if uncached, and
 * the cache's rate if cached.
 *
 * Tokens are assigned to kinds from the most expensive kind to the cheapest. If there are fewer text tokens than
 * uncached tokens, the remaining uncached tokens must be media, even if uncached media is cheaper than text.
 */
function mostExpensiveSplit(usage: Usage, rates: Rates): Usage {
  const textIn = rateOf('input', rates)
  const kinds = inputDimensions
    .map((dimension) => ({ dimension, rate: rateOf(dimension, rates), units: usage[dimension] }))
    .toSorted(highestRateFirst)
  let text = totalInput(usage)
  for (const dimension of mediaDimensions) text -= usage[dimension]
  text = Math.max(0, text)
  let uncached = usage.input - Math.min(usage.input, text)
  const split = { ...usage }
  let left = totalInput(usage)
  for (const { dimension, rate, units } of kinds) {
    let most = units
    if (dimension === 'input') most = Math.min(units, text)
    else if (sideOf(dimension) === 'media' && rate <= textIn) {
      most = Math.min(units, uncached)
      uncached -= most
    }
    const taken = Math.min(left, most)
    split[dimension] = taken
    left -= taken
  }
  assertMoney(left === 0, 'costOf: the counts of the text are the whole input')
  return split
}

function highestRateFirst(one: { readonly rate: bigint }, other: { readonly rate: bigint }): number {
  return one.rate > other.rate ? -1 : 1
}

/**
 * Only the number of output tokens is variable in these terms of a worst-case cost. Code that clamps or extends a hold
 * searches for the largest output whose worst case fits.
 */
export interface WorstTerms {
  /** The cost of everything except the output and `fees`, before the multiplier, in millionths of a micro. */
  readonly fixed: bigint
  readonly outputRate: bigint
  readonly multiplier: bigint
  /** Fees that the multiplier does not change, in millionths of a micro. If the multiplier is 1000, `fixed` includes them. */
  readonly fees: bigint
}

/** Returns the number of input tokens that the provider's tools add if all tool uses in the hold occur. */
export function toolTokensOf({ tools }: Pick<CallBound, 'tools'>): number {
  return tools === undefined ? 0 : tools.uses * tools.tokensPerUse
}

/** Uses everything in `bound` except `outputTokens`. */
export function worstTerms(bound: CallBound, price: Price): WorstTerms {
  assertMoney(isPrice(price), 'worstTerms: the price names input or output')
  assertMoney(isBound(bound), 'worstTerms: the bound is made of counts')
  const textTokens = bound.textTokens + toolTokensOf(bound)
  const rates = highestRates(price, textTokens + bound.audioTokens + bound.imageTokens)
  const text = heldTextRate(rates, bound.canReport)
  let fixed = BigInt(textTokens) * text
  if (bound.audioTokens > 0) fixed += BigInt(bound.audioTokens) * mediaRate('audioInput', text, rates)
  if (bound.imageTokens > 0) fixed += BigInt(bound.imageTokens) * mediaRate('imageInput', text, rates)
  if (rates.request !== undefined) fixed += rates.request * perUnit
  let fees = 0n
  if (bound.tools !== undefined && rates.webSearch !== undefined)
    fees += BigInt(bound.tools.uses * bound.tools.searchesPerUse) * rates.webSearch * perUnit
  if (bound.uses !== undefined) {
    const uses = costOfUses(bound.uses, rates)
    fixed += uses.multiplied
    fees += uses.fees
  }
  const multiplier = askedMultiplier(price, bound.serviceTier)
  const hasPlainPrice = multiplier === plainMultiplier
  return {
    fixed: hasPlainPrice ? fixed + fees : fixed,
    outputRate: heldOutputRate(rates, bound.canReport),
    multiplier,
    fees: hasPlainPrice ? 0n : fees,
  }
}

/** The result is in millionths of a micro. */
function costOfUses(uses: Uses, rates: Rates): { readonly multiplied: bigint; readonly fees: bigint } {
  let multiplied = 0n
  let fees = 0n
  for (const dimension of fixedOutputs) {
    const tokens = uses[dimension] ?? 0
    // A provider may report the tokens of generated images or speech as plain output.
    if (tokens > 0) multiplied += BigInt(tokens) * maxOf(rateOf('output', rates), rateOf(dimension, rates))
  }
  for (const { count, dimension } of countedUses) {
    const cost = BigInt(uses[count] ?? 0) * (rates[dimension] ?? 0n) * scaleOf(dimension)
    if (factsOf(dimension).isSameInEveryTier === true) fees += cost
    else multiplied += cost
  }
  return { multiplied, fees }
}

export function scaleOf(dimension: Dimension): bigint {
  return isPerUse(dimension) ? perUnit : 1n
}

/** The worst case never decreases as the output grows. */
export function worstAt(terms: WorstTerms, outputTokens: number): bigint {
  assertMoney(Number.isSafeInteger(outputTokens) && outputTokens >= 0, 'worstAt: the output is a count')
  const multiplied = (terms.fixed + terms.outputRate * BigInt(outputTokens)) * terms.multiplier
  return ceilDiv(multiplied + terms.fees * plainMultiplier, perWhole)
}

function isPrice(price: Price): boolean {
  return price.input !== undefined || price.output !== undefined
}

function isBound(bound: CallBound): boolean {
  return (
    Number.isSafeInteger(bound.textTokens + bound.audioTokens + bound.imageTokens) &&
    (bound.tools === undefined || areToolUses(bound.tools)) &&
    (bound.uses === undefined || Object.values(bound.uses).every(isUseCount)) &&
    bound.textTokens >= 0 &&
    bound.audioTokens >= 0 &&
    bound.imageTokens >= 0 &&
    Number.isSafeInteger(bound.outputTokens) &&
    bound.outputTokens >= 0
  )
}

function isUseCount(uses: number): boolean {
  return Number.isSafeInteger(uses) && uses >= 0
}

function areToolUses({ searchesPerUse, tokensPerUse, uses, usesMax }: ToolBound): boolean {
  return (
    Number.isSafeInteger(uses * Math.max(tokensPerUse, searchesPerUse)) &&
    uses >= 1 &&
    usesMax >= uses &&
    tokensPerUse >= 0 &&
    searchesPerUse >= 0
  )
}

function isAssumedRate(dimension: Dimension, rates: Rates, assumed: readonly Dimension[]): boolean {
  const charged = rates[dimension] === undefined ? wholeOf[dimension] : dimension
  return charged === undefined || rates[charged] === undefined || assumed.includes(charged)
}

/** Maps a dimension to the dimension that contains it, whose rate is used if the dimension has no rate. */
const wholeOf: { readonly [dimension in Dimension]?: Dimension } = { cacheRead: 'input', reasoning: 'output' }

/**
 * Returns the rate of a dimension: its own rate, or else the rate of the nearest related dimension. The rates must
 * include a rate for input or output.
 */
export function rateOf(dimension: TokenDimension, rates: Rates): bigint {
  return rates[dimension] ?? assumedRate(dimension, rates)
}

/**
 * If the price has a rate for another text dimension, text uses this rate, and not the more expensive rate of audio.
 * Cached audio uses the rate of other cached input. Any other dimension uses the highest rate of its side (input or
 * output). `isPrice` guarantees that a rate exists.
 */
function assumedRate(dimension: TokenDimension, rates: Rates): bigint {
  if (dimension === 'cacheRead') return rates.input ?? textRate(rates)
  if (dimension === 'cacheReadAudio') return rateOf('cacheRead', rates)
  if (dimension === 'reasoning') return rates.output ?? outputRate(rates)
  switch (sideOf(dimension)) {
    case 'text':
      return textRate(rates)
    case 'media':
      return known(highestRateOf(inputDimensions, rates) ?? highestRateOf(outputDimensions, rates))
    default:
      return outputRate(rates)
  }
}

function heldTextRate(rates: Rates, { cacheWrite, cacheWriteLong }: CanReport): bigint {
  let highest = maxOf(rateOf('input', rates), rateOf('cacheRead', rates))
  if (cacheWrite) highest = maxOf(highest, rateOf('cacheWrite', rates))
  if (cacheWriteLong) highest = maxOf(highest, rateOf('cacheWriteLong', rates))
  return highest
}

function heldOutputRate(rates: Rates, { audioOutput, imageOutput }: CanReport): bigint {
  let highest = maxOf(rateOf('output', rates), rateOf('reasoning', rates))
  if (audioOutput) highest = maxOf(highest, rateOf('audioOutput', rates))
  if (imageOutput) highest = maxOf(highest, rateOf('imageOutput', rates))
  return highest
}

/** A provider may report a media token as text or as cached input. For example, Anthropic counts images as text. */
function mediaRate(dimension: 'audioInput' | 'imageInput', text: bigint, rates: Rates): bigint {
  const own = maxOf(rateOf(dimension, rates), text)
  return dimension === 'audioInput' ? maxOf(own, rateOf('cacheReadAudio', rates)) : own
}

function outputRate(rates: Rates): bigint {
  return known(highestRateOf(outputDimensions, rates) ?? highestRateOf(inputDimensions, rates))
}

function textRate(rates: Rates): bigint {
  return known(
    highestRateOf(textDimensions, rates) ??
      highestRateOf(inputDimensions, rates) ??
      highestRateOf(outputDimensions, rates),
  )
}

/** Undefined if no dimension has a rate. */
export function highestRateOf(dimensions: readonly TokenDimension[], rates: Rates): bigint | undefined {
  let highest: bigint | undefined
  for (const dimension of dimensions) {
    const rate = rates[dimension]
    if (rate !== undefined && (highest === undefined || rate > highest)) highest = rate
  }
  return highest
}

function known(rate: bigint | undefined): bigint {
  assertMoney(rate !== undefined, 'a price has a rate to fall back on')
  return rate
}

/** A service tier that the price does not list has no effect on the rates. */
function reportedMultiplier(price: Price, serviceTier: string | null): bigint {
  return listedMultiplier(price, serviceTier) ?? plainMultiplier
}

/** Whether a request in the service tier costs less than in the default tier. */
export function isCheaperTier(price: Price, serviceTier: string): boolean {
  return reportedMultiplier(price, serviceTier) < plainMultiplier
}

/**
 * The multiplier is never below 1000, because a provider may serve its default tier instead of the requested tier. A
 * tier with an unknown name may be another name of any listed tier, so the largest multiplier of all listed tiers
 * applies.
 */
function askedMultiplier(price: Price, serviceTier: string | null): bigint {
  if (serviceTier === null || price.serviceTiers === undefined) return plainMultiplier
  const listed = listedMultiplier(price, serviceTier)
  let highest = plainMultiplier
  for (const multiplier of listed === undefined ? Object.values(price.serviceTiers) : [listed]) {
    if (multiplier > highest) highest = multiplier
  }
  return highest
}

function listedMultiplier(price: Price, serviceTier: string | null): bigint | undefined {
  if (serviceTier === null || price.serviceTiers === undefined) return undefined
  // The tier name comes from a provider. A name such as `constructor` must not match an inherited object property.
  return Object.hasOwn(price.serviceTiers, serviceTier) ? price.serviceTiers[serviceTier] : undefined
}
