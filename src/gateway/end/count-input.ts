import { kindFacts } from '#domain/provider-kinds.ts'
import type { Plan } from '#gateway/decide/served-name.ts'
import type { TokenCounter } from '#gateway/ports.ts'
import { promptText } from '#wire/bound/prompt-text.ts'
import { textOf } from '#wire/text/byte-text.ts'
import { parseObject } from '#wire/text/json-values.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { wires } from '#wire/wires.ts'

/**
 * The gateway's own count of a call's input, for providers that report none (docs/reference/tokens.md "Counting the
 * input afterwards"). `tokens` is the estimate from bytes, until `count` has asked the tokenizer.
 *
 * The text is not kept for this: the call keeps its request until it ends, for another attempt.
 */
export class InputCount {
  tokens: number
  readonly #request: WireRequest
  readonly #plan: Plan
  readonly #tokensMax: number
  readonly #counter: TokenCounter
  #counted: Promise<void> | null = null

  /** @param tokensMax the bound of the input, which the count never exceeds */
  constructor(request: WireRequest, plan: Plan, tokensMax: number, counter: TokenCounter) {
    this.#request = request
    this.#plan = plan
    this.#tokensMax = tokensMax
    this.#counter = counter
    this.tokens = Math.min(request.inputEstimate, tokensMax)
  }

  /** Asks the tokenizer, once. The estimate stays if the request is too large or the tokenizer too busy. */
  count(): Promise<void> {
    this.#counted ??= this.#count()
    return this.#counted
  }

  get isCounted(): boolean {
    return this.#counted !== null
  }

  async #count(): Promise<void> {
    const { mediaEstimate, prose, text, wire } = this.#request
    if (prose.text.length > proseBytesMax || text.length > bodyBytesMax) return
    const body = parseObject(textOf(text))
    if (body === null) return
    const { text: read, turns } = promptText(body, wires[wire].settings)
    const counted = await this.#counter.count(read)
    if (counted === null) return
    const tokens = Math.ceil(counted * factorOf(this.#plan)) + frameTokens + turnTokens * turns
    this.tokens = Math.min(tokens + mediaEstimate, this.#tokensMax)
  }
}

/** As much as the tokenizer counts; a longer text is estimated by its bytes, which are then a good measure. */
const proseBytesMax = 256 * 1024
/** A body with more media is not parsed a second time. */
const bodyBytesMax = 1024 * 1024
/** What templates put around a request and around each turn. */
const frameTokens = 3
const turnTokens = 4

/**
 * How many tokens a model makes of one that o200k counts, leaning high: most vocabularies are smaller. Holds take the
 * larger factors of decide/tokenizer-bound.ts, since they must never be too small.
 */
function factorOf({ account: { kind }, target: { model } }: Plan): number {
  if (kindFacts(kind).countedModels?.test(model)) return 1
  return /claude/i.test(model) || kind === 'anthropic' ? claudeFactor : usualFactor
}

const claudeFactor = 1.8
const usualFactor = 1.25
