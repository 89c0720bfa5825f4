import type * as z from 'zod'
import { worstAt } from '#money/cost.ts'
import type { CallBound, Quote } from '#money/hold.ts'
import { priceToJson } from '#money/price.ts'
import { worstCase } from '#money/worst-case.ts'
import type { Explanation } from './explanation-schema.ts'
import { sectionOf, type Section } from './trace-section.ts'

type ExplainedQuote = NonNullable<z.output<typeof Explanation>['quote']>

/**
 * The prices, and how the hold was computed.
 * @param known `bound`: of a call in flight; others have it in their trace
 */
export function quoteSection(
  { bound: held, quote }: { readonly quote: Quote | null; readonly bound: CallBound | null },
  trace: Readonly<Record<string, unknown>>,
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
    worstCase: bound && worstCaseSection(quote, bound),
  }
}

/** The bound that the first hold was made for; null: the call died with its process. */
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
  const terms = worstCase(quote, bound).micros
  const micros = worstAt(terms, outputTokens)
  const inputTokensMax = textTokens + audioTokens + imageTokens
  const inputMicros = decimalOf(terms.fixed, 6)
  const multiplier = String(terms.multiplier)
  const times = multiplier === '1000' ? '' : ` x ${decimalOf(terms.multiplier, 3)}`
  const sum = `${inputMicros} micros for at most ${inputTokensMax} tokens in and fees + ${outputTokens} tokens out x ${terms.outputRate} / 1000000`
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

/** `value / 10^places` as an exact decimal. */
function decimalOf(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '')
  const whole = digits.slice(0, -places)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
