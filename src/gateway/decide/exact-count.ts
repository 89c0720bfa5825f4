import type { Failure } from '#domain/errors.ts'
import { kindFacts } from '#domain/provider-kinds.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { countsOf } from '#wire/bound/token-count.ts'
import type { WireRequest } from '#wire/request.ts'
import type { Plan } from './configuration.ts'
import type { TokenCounter } from '#gateway/ports.ts'

/**
 * A smaller bound of the text than a token per byte, by a tokenizer; null when there is none. Only asked
 * for when the first did not fit: it costs milliseconds, and most calls fit without.
 * @param couldFit whether a call with this many tokens of text could be let in. Where not even the fewest
 *   that the text can be would do, nobody counts: a refusal must be cheap, or an unpaid key could load the host
 */
export async function exactCount(
  request: WireRequest,
  plan: Plan,
  tokens: TokenCounter,
  couldFit: (textTokens: number) => boolean,
): Promise<number | null> {
  const { prose, textTokensMax } = request
  if (prose.tokensMax < proseTokensMin) return null
  const factor = factorOf(plan)
  const around = textTokensMax - prose.tokensMax
  const counted = prose.text.slice(0, endOfCounted(prose.text))
  const restTokens =
    counted.length === prose.text.length ? 0 : countsOf(prose.text.slice(counted.length)).boundBytes
  const boundBy = (count: number): number => around + restTokens + Math.ceil(count * factor)
  // The shorter of the two looks first: it needs no look at the text.
  if (!couldFit(boundBy(Math.ceil(counted.length / tokenBytesMax)))) return null
  if (!couldFit(boundBy(wordsIn(counted)))) return null
  const count = await tokens.count(textOf(counted))
  if (count === null) return null
  const textTokens = boundBy(count)
  return textTokens < textTokensMax ? textTokens : null
}

/** Whether a call that was refused so would be let in if it held less. */
export function isTooMuch({ code }: Failure): boolean {
  return (
    code === 'insufficient_credit' ||
    code === 'spend_limit_exceeded' ||
    code === 'outcome_capped' ||
    code === 'balance_held'
  )
}

/**
 * Beginnings of words, at each of which o200k begins a token: none of its tokens has a space and then
 * something else but at its very start.
 */
export function wordsIn(text: ByteText): number {
  let words = 0
  let before = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // Of what is not ASCII some is white space too.
    if (before === 0x20 && code > 0x20 && code < 0x7f) words++
    before = code
  }
  return words
}

/** Less than that is worth little money, whatever it is counted to be. */
const proseTokensMin = 256
/** Beyond it a token per byte: a text that long is not worth the time. */
const countedBytesMax = 256 * 1024
/** Of the longest token of o200k. */
const tokenBytesMax = 128

/** Not within a character. */
function endOfCounted(text: ByteText): number {
  if (text.length <= countedBytesMax) return text.length
  let at = countedBytesMax
  while (at > 0 && (text.charCodeAt(at) & 0xc0) === 0x80) at--
  return at
}

/**
 * How far a model's own tokenizer may go beyond the one that we count with, o200k (docs/reference/tokens.md
 * "Counting exactly").
 */
function factorOf({ account: { kind }, target: { model } }: Plan): number {
  if (kindFacts(kind).countedModels?.test(model)) return 1
  return kindFacts(/claude/i.test(model) ? 'anthropic' : kind).tokenFactor
}
