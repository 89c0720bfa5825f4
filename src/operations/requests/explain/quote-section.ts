import { toolTokensOf, worstAt, type WorstTerms } from '#money/cost.ts'
import type { CallBound, Quote, ToolBound } from '#money/decision-types.ts'
import { priceToJson } from '#money/price.ts'
import { basisPrice, worstCase } from '#money/worst-case.ts'
import type { StoredTrace, StoredWorst } from '#explain/sections-of-trace.ts'
import type { CustomerExplanation, Facts } from './read-stored-facts.ts'

type WorstCase = NonNullable<NonNullable<CustomerExplanation['quote']>['worstCase']>

export function quoteSection({ labels, quote, story, trace }: Facts): CustomerExplanation['quote'] {
  const unpriced = { cost: null, sell: null, credits: null, bound: null }
  if (quote === null) return trace.quote && { ...unpriced, ...trace.quote }
  // The maximum counts are in the trace or, while the request is in flight, in its hold.
  const held = story.hold?.bound ?? null
  const bound = held ?? boundOfTrace(trace)
  return {
    ...trace.quote,
    ...(trace.quote?.tools && {
      tools: { ...trace.quote.tools, feePerUse: feePerUse(quote, trace.quote.tools) },
    }),
    quoteId: quote.id,
    cost: priceToJson(quote.cost),
    sell: priceToJson(quote.sell),
    credits: quote.credits && priceToJson(quote.credits),
    bound: held,
    worstCase: heldAt(trace, labels) ?? (bound && worstCaseAt(quote, bound)),
  }
}

type StoredTools = NonNullable<NonNullable<StoredTrace['quote']>['tools']>

/** In micros. */
function feePerUse(quote: Quote, { searchesPerUse }: StoredTools): string {
  return String((basisPrice(quote).webSearch ?? 0n) * BigInt(searchesPerUse ?? 0))
}

export function candidateWorst(worst: StoredWorst): {
  readonly price: { readonly input: string | null; readonly output: string | null }
  readonly worstCase: WorstCase
} {
  const { fees, fixed, inputPrice, inputTokensMax, multiplier, outputPrice, outputRate, outputTokensMax } =
    worst
  const terms: WorstTerms = {
    fixed: BigInt(fixed ?? 0),
    outputRate: BigInt(outputRate ?? 0),
    multiplier: BigInt(multiplier ?? 0),
    fees: BigInt(fees ?? 0),
  }
  return {
    price: { input: inputPrice ?? null, output: outputPrice ?? null },
    worstCase: formulaOf(terms, inputTokensMax ?? 0, outputTokensMax ?? 0),
  }
}

/** The worst-case cost of a routed request at its most expensive target. Null if only one target was possible. */
function heldAt({ reserve, route }: StoredTrace, labels: Facts['labels']): WorstCase | null {
  for (const { accountId, model, worst } of route?.targets ?? []) {
    const known = worst && candidateWorst(worst).worstCase
    if (known?.micros !== reserve?.firstWorstMicros) continue
    return { ...known, target: `${labels.get(accountId ?? '') ?? accountId}/${model}` }
  }
  return null
}

/** Null if the process died during the request. */
function boundOfTrace({ quote, reserve }: StoredTrace): CallBound | null {
  const { canReport, choices, serviceTier = null } = quote ?? {}
  const perChoice = reserve?.outputTokensPerChoice
  if (typeof perChoice !== 'number' || typeof choices !== 'number') return null
  const can = (name: keyof CallBound['canReport']): boolean => canReport?.includes(name) ?? false
  return {
    alias: '',
    textTokens: quote?.textTokensMax ?? 0,
    audioTokens: quote?.audioTokensMax ?? 0,
    imageTokens: quote?.imageTokensMax ?? 0,
    outputTokens: perChoice * choices,
    choices,
    serviceTier,
    canReport: {
      cacheWrite: can('cacheWrite'),
      cacheWriteLong: can('cacheWriteLong'),
      audioOutput: can('audioOutput'),
      imageOutput: can('imageOutput'),
    },
    ...(quote?.tools && { tools: toolsOf(quote.tools) }),
    ...(quote?.uses && { uses: quote.uses }),
  }
}

function toolsOf({ searchesPerUse, tokensPerUse, uses, usesMax }: StoredTools): ToolBound {
  return {
    uses: uses ?? 1,
    usesMax: usesMax ?? uses ?? 1,
    tokensPerUse: tokensPerUse ?? 0,
    searchesPerUse: searchesPerUse ?? 0,
  }
}

function worstCaseAt(quote: Quote, bound: CallBound): WorstCase {
  const { audioTokens, imageTokens, outputTokens, textTokens } = bound
  const inputTokens = textTokens + audioTokens + imageTokens + toolTokensOf(bound)
  return formulaOf(worstCase(quote, bound).micros, inputTokens, outputTokens)
}

function formulaOf(terms: WorstTerms, inputTokensMax: number, outputTokens: number): WorstCase {
  const micros = worstAt(terms, outputTokens)
  const inputMicros = decimalOf(terms.fixed, 6)
  const multiplier = String(terms.multiplier)
  const times = multiplier === '1000' ? '' : ` x ${decimalOf(terms.multiplier, 3)}`
  const feesMicros = decimalOf(terms.fees, 6)
  const sum = `${inputMicros} micros for at most ${inputTokensMax} input tokens and fees + ${outputTokens} output tokens x ${terms.outputRate} / 1000000`
  const unchanged = terms.fees === 0n ? '' : ` + ${feesMicros} micros for fees of tools`
  return {
    inputTokensMax,
    inputMicros,
    outputTokensMax: outputTokens,
    outputRate: String(terms.outputRate),
    multiplier,
    ...(terms.fees > 0n && { feesMicros }),
    micros: String(micros),
    formula: times === '' ? `${sum} = ${micros}` : `(${sum})${times}${unchanged} = ${micros}`,
  }
}

/** Returns `value / 10^places` as an exact decimal. */
function decimalOf(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '')
  const whole = digits.slice(0, -places)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
