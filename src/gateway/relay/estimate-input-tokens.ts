import { isClaude, kindFacts } from '#domain/accounts/provider-kinds.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import type { TokenCounter } from '#gateway/call/dependencies-of-gateway.ts'
import { promptText } from '#wire/bound/prompt-as-text-for-tokenizer.ts'
import { tokensOfDigits } from '#wire/bound/bound-tokens-of-any-text.ts'
import { textOf } from '#wire/text/byte-text.ts'
import type { TaskText } from '#wire/shared-parsing-of-tasks-without-output.ts'
import { parseObject, type JsonObject } from '#wire/text/json-values.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Wire } from '#wire/wire.ts'
import { wires } from '#wire/table-of-wires.ts'

/**
 * The gateway's own count of the input, for providers that report none (docs/reference/tokens.md "Counting the input
 * after a request"). `tokens` is an estimate from bytes until `count` has run the tokenizer.
 */
export class InputCount {
  tokens: number
  readonly #request: WireRequest
  readonly #plan: Plan
  readonly #tokensMax: number
  readonly #counter: TokenCounter
  #counted: Promise<void> | null = null

  /** @param tokensMax the maximum number of input tokens; the count never exceeds it */
  constructor(request: WireRequest, plan: Plan, tokensMax: number, counter: TokenCounter) {
    this.#request = request
    this.#plan = plan
    this.#tokensMax = tokensMax
    this.#counter = counter
    this.tokens = Math.min(request.inputEstimate, tokensMax)
  }

  /**
   * Counts the input with the tokenizer, once. If the request is too large or the tokenizer is too busy, the estimate
   * from bytes remains, with a correction for digits. The correction is computed only when the tokenizer runs, because
   * most requests do not need the correction.
   */
  count(): Promise<void> {
    this.#counted ??= this.#count()
    return this.#counted
  }

  get isCounted(): boolean {
    return this.#counted !== null
  }

  async #count(): Promise<void> {
    const { inputEstimate, mediaEstimate, prose } = this.#request
    const counted = await this.#byTokenizer()
    const tokens = counted === null ? inputEstimate + tokensOfDigits(prose.text) : counted + mediaEstimate
    this.tokens = Math.min(tokens, this.#tokensMax)
  }

  async #byTokenizer(): Promise<number | null> {
    const { prose, text, wire } = this.#request
    if (prose.text.length > proseBytesMax || text.length > bodyBytesMax) return null
    const body = parseObject(textOf(text))
    if (body === null) return null
    const { text: read, moreTokens } = readBy(wires[wire], body)
    const counted = await this.#counter.count(read, this.#plan.account.organizationId)
    return counted === null ? null : Math.ceil(counted * factorOf(this.#plan)) + moreTokens
  }
}

function readBy({ settings, taskText }: Wire, body: JsonObject): TaskText {
  if (taskText) return taskText(body)
  const { text, turns } = promptText(body, settings)
  return { text, moreTokens: frameTokens + turnTokens * turns }
}

/**
 * Maximum length of a text that the tokenizer counts. The tokens of a longer text are estimated from its bytes, which
 * is accurate enough for long texts.
 */
const proseBytesMax = 256 * 1024
/** A larger body consists mostly of media and is not parsed a second time. */
const bodyBytesMax = 1024 * 1024
/** Number of tokens that templates add around a request and around each turn of the conversation. */
const frameTokens = 3
const turnTokens = 4

/**
 * Returns how many tokens the model needs for one o200k token. Most models have a smaller vocabulary than o200k, so
 * they need more tokens for the same text. Holds use the larger factors of decide/input-bound-by-tokenizer.ts, because
 * a hold must never be too small.
 */
function factorOf({ account: { kind }, target: { model } }: Plan): number {
  if (kindFacts(kind).countedModels?.test(model)) return 1
  return isClaude(model) || kind === 'anthropic' ? claudeFactor : usualFactor
}

const claudeFactor = 1.8
const usualFactor = 1.25
