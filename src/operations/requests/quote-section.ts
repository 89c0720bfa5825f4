import type * as z from 'zod'
import { worstAt, type WorstTerms } from '#money/cost.ts'
import type { CallBound, Quote } from '#money/hold.ts'
import { priceToJson } from '#money/price.ts'
import { worstCase } from '#money/worst-case.ts'
import type { Explanation } from './explanation-schema.ts'
import { bigintOf, sectionOf, sectionsIn, textOf, type Section } from './trace-section.ts'

type ExplainedQuote = NonNullable<z.output<typeof Explanation>['quote']>

/**
 * Returns the prices, and how the hold was computed.
 * @param known `bound` is that of a request in flight; other requests have it in their trace
 * @param labels account ID -> label
 */
export function quoteSection(
  { bound: held, quote }: { readonly quote: Quote | null; readonly bound: CallBound | null },
  trace: Readonly<Record<string, unknown>>,
  labels: ReadonlyMap<string, string>,
): ExplainedQuote | null {
  const traced = sectionOf(trace['quote'])
  const unpriced = { cost: null, sell: null, credits: null, bound: null }
  if (quote === null) return traced && { ...unpriced, ...traced }
  const bound = held ?? boundOfTrace(traced, sectionOf(trace['reserve']))
  return {
    ...traced,
    quoteId: quote.id,
    cost: priceToJson(quote.cost),
    sell: priceToJson(quote.sell),
    credits: quote.credits && priceToJson(quote.credits),
    bound: held,
    worstCase: heldAt(trace, labels) ?? (bound && worstCaseSection(quote, bound)),
  }
}

/**
 * Returns the price and the worst case of a possible target, from its trace. Empty if the target had no price, or if
 * the trace is older than these facts.
 */
export function candidateWorst(worst: Section | null): {
  readonly price?: Section
  readonly worstCase?: Section & { readonly micros: string }
} {
  if (worst === null) return {}
  const terms: WorstTerms = {
    fixed: bigintOf(worst['fixed']),
    outputRate: bigintOf(worst['outputRate']),
    multiplier: bigintOf(worst['multiplier']),
  }
  return {
    price: { input: worst['inputPrice'] ?? null, output: worst['outputPrice'] ?? null },
    worstCase: formulaOf(terms, Number(worst['inputTokensMax']), Number(worst['outputTokensMax'])),
  }
}

/**
 * Returns the worst case that a routed request was held at: that of its most expensive target. Null if there was only
 * one possible target.
 */
function heldAt(
  trace: Readonly<Record<string, unknown>>,
  labels: ReadonlyMap<string, string>,
): Section | null {
  const heldMicros = sectionOf(trace['reserve'])?.['firstWorstMicros']
  for (const { accountId, model, worst } of sectionsIn(sectionOf(trace['route'])?.['targets'])) {
    const { worstCase: known } = candidateWorst(sectionOf(worst))
    if (known === undefined || known.micros !== heldMicros) continue
    return { ...known, target: `${labels.get(textOf(accountId)) ?? textOf(accountId)}/${textOf(model)}` }
  }
  return null
}

/** Returns the bound of the first hold. Null if the process died during the request. */
function boundOfTrace(quote: Section | null, reserve: Section | null): CallBound | null {
  const perChoice = reserve?.['outputTokensPerChoice']
  const choices = quote?.['choices']
  if (typeof perChoice !== 'number' || typeof choices !== 'number') return null
  const names = Array.isArray(quote?.['canReport']) ? quote['canReport'] : []
  const tier = quote?.['serviceTier']
  return {
    alias: '',
    textTokens: Number(quote?.['textTokensMax']),
    audioTokens: Number(quote?.['audioTokensMax']),
    imageTokens: Number(quote?.['imageTokensMax']),
    outputTokens: perChoice * choices,
    choices,
    serviceTier: typeof tier === 'string' ? tier : null,
    canReport: {
      cacheWrite: names.includes('cacheWrite'),
      cacheWriteLong: names.includes('cacheWriteLong'),
      audioOutput: names.includes('audioOutput'),
      imageOutput: names.includes('imageOutput'),
    },
  }
}

function worstCaseSection(quote: Quote, bound: CallBound): Section {
  const { audioTokens, imageTokens, outputTokens, textTokens } = bound
  return formulaOf(worstCase(quote, bound).micros, textTokens + audioTokens + imageTokens, outputTokens)
}

function formulaOf(
  terms: WorstTerms,
  inputTokensMax: number,
  outputTokens: number,
): Section & { readonly micros: string } {
  const micros = worstAt(terms, outputTokens)
  const inputMicros = decimalOf(terms.fixed, 6)
  const multiplier = String(terms.multiplier)
  const times = multiplier === '1000' ? '' : ` x ${decimalOf(terms.multiplier, 3)}`
  const sum = `${inputMicros} micros for at most ${inputTokensMax} input tokens and fees + ${outputTokens} output tokens x ${terms.outputRate} / 1000000`
  return {
    inputTokensMax,
    inputMicros,
    outputTokensMax: outputTokens,
    outputRate: String(terms.outputRate),
    multiplier,
    micros: String(micros),
    formula: times === '' ? `${sum} = ${micros}` : `(${sum})${times} = ${micros}`,
  }
}

/** Returns `value / 10^places` as an exact decimal. */
function decimalOf(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '')
  const whole = digits.slice(0, -places)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
