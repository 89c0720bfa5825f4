import type { Failure } from '#domain/errors.ts'
import { kindFacts } from '#domain/provider-kinds.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { countsOf } from '#wire/bound/token-count.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from './served-name.ts'
import type { TokenCounter } from '#gateway/ports.ts'

/**
 * A tokenizer's bound of the text, smaller than a token per byte; null when there is none. It costs milliseconds, so
 * it is asked only when the first bound did not fit; most calls fit.
 * @param plans of all targets that may answer: the bound holds for each of them
 * @param couldFit whether a call with this many tokens of text could be let in. Where not even the fewest possible
 *   would fit, the tokenizer is not asked: a refusal must be cheap, or an unpaid key could load the host
 */
export async function tokenizerBound(
  request: WireRequest,
  plans: readonly Plan[],
  tokens: TokenCounter,
  couldFit: (textTokens: number) => boolean,
): Promise<number | null> {
  const { prose, textTokensMax } = request
  if (prose.tokensMax < proseTokensMin) return null
  const factor = Math.max(...plans.map(factorOf))
  const around = textTokensMax - prose.tokensMax
  const counted = prose.text.slice(0, endOfCounted(prose.text))
  const restTokens =
    counted.length === prose.text.length ? 0 : countsOf(prose.text.slice(counted.length)).boundBytes
  const boundBy = (count: number): number => around + restTokens + Math.ceil(count * factor)
  // The length is checked first: it needs no walk over the text.
  if (!couldFit(boundBy(Math.ceil(counted.length / tokenBytesMax)))) return null
  if (!couldFit(boundBy(wordsIn(counted)))) return null
  const count = await tokens.count(textOf(counted))
  if (count === null) return null
  const textTokens = boundBy(count)
  return textTokens < textTokensMax ? textTokens : null
}

/** Whether a call refused so could be let in with a smaller hold. */
export function isTooMuch({ code }: Failure): boolean {
  return (
    code === 'insufficient_credit' ||
    code === 'spend_limit_exceeded' ||
    code === 'outcome_capped' ||
    code === 'balance_held'
  )
}

/**
 * Beginnings of words, at each of which o200k begins a token: a space is followed by something else only at the
 * very start of its tokens.
 */
export function wordsIn(text: ByteText): number {
  let words = 0
  let before = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // Some characters beyond ASCII are white space too.
    if (before === 0x20 && code > 0x20 && code < 0x7f) words++
    before = code
  }
  return words
}

/** Fewer tokens are worth too little money to count exactly. */
const proseTokensMin = 256
/** Longer text is bounded by a token per byte: it is not worth the time. */
const countedBytesMax = 256 * 1024
/** Bytes of the longest token of o200k. */
const tokenBytesMax = 128

/** Where the counted part of the text ends, not within a character. */
function endOfCounted(text: ByteText): number {
  if (text.length <= countedBytesMax) return text.length
  let at = countedBytesMax
  while (at > 0 && (text.charCodeAt(at) & 0xc0) === 0x80) at--
  return at
}

/**
 * How far a model's own tokenizer may exceed the one that counts here, o200k (docs/reference/tokens.md
 * "Counting exactly").
 */
function factorOf({ account: { kind }, target: { model } }: Plan): number {
  if (kindFacts(kind).countedModels?.test(model)) return 1
  return kindFacts(/claude/i.test(model) ? 'anthropic' : kind).tokenFactor
}
