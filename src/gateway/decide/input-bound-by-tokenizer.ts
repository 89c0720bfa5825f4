import type { Failure } from '#domain/errors.ts'
import { kindFacts } from '#domain/accounts/provider-kinds.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { countedText, type CountedText, type ReadThoughts } from '#wire/bound/text-counted-by-tokenizer.ts'
import { surplusTokens } from '#wire/bound/extra-tokens-of-smaller-vocabularies.ts'
import { countsOf } from '#wire/bound/bound-tokens-of-any-text.ts'
import { isTask } from '#wire/names-of-wires-and-tasks.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { addedToCounted, countingRuleOf, type CountingRule } from './how-model-counts-text-tokens.ts'
import { providerAddedTokens } from './tokens-that-provider-adds.ts'

export interface TextCounter {
  count(text: string): Promise<number | null>
}

/**
 * Returns a maximum of text tokens that is lower than the number of the text's bytes. Null if the tokenizer is not
 * available, or if the call would be rejected even with this maximum. Counting takes milliseconds, so the tokenizer is
 * used only if the call cannot be admitted with one token per byte.
 * @param plans all targets that may serve the call; the maximum applies to each of them
 * @param couldFit returns whether a call with this many text tokens could be admitted; if even the lowest possible
 *   count is too high, the tokenizer is not used. A rejection must be cheap, or a key without credit could overload the
 *   host
 */
export async function tokenizerBound(
  request: WireRequest,
  plans: readonly Plan[],
  tokens: TextCounter,
  couldFit: (textTokens: number) => boolean,
): Promise<number | null> {
  const { prose, textTokensMax } = request
  if (prose.tokensMax < proseTokensMin) return null
  if (prose.text.includes(reference) && plans.some(readsReferences)) return null
  const around = textTokensMax - prose.tokensMax
  // The caller adds `providerAddedTokens`, so add only the difference.
  const added = Math.max(
    ...plans.map((plan) => addedToCounted(request, plan) - providerAddedTokens(request, plan)),
  )
  if (!couldFit(around + added)) return null
  const rules = plans.map((plan) => countingRuleOf(plan))
  const { rest, text, thoughtTokens, toolCount } = textToCount(request, rules)
  const restTokens = rest.length === 0 ? 0 : countsOf(rest).boundBytes
  const moreTools =
    Math.max(0, toolCount - 1) * Math.max(...rules.map(({ tokensPerTool = 0 }) => tokensPerTool))
  const more = around + added + restTokens + thoughtTokens + moreTools
  // This check needs only the length of the text.
  if (!couldFit(more + Math.ceil(text.length / tokenBytesMax))) return null
  const sized = rules.map(({ factor, surplus }) => ({ factor, surplus: surplusOf(surplus, text) }))
  const boundBy = (count: number): number =>
    more + Math.max(...sized.map(({ factor, surplus }) => Math.ceil(count * factor) + surplus))
  if (!couldFit(boundBy(wordsIn(text)))) return null
  const count = await tokens.count(text)
  if (count === null) return null
  const textTokens = boundBy(count)
  return textTokens < textTokensMax ? textTokens : null
}

/** Each byte of `rest` counts as one token. */
interface TextToCount extends CountedText {
  readonly rest: ByteText
}

function textToCount({ prose, wire }: WireRequest, rules: readonly CountingRule[]): TextToCount {
  const head = prose.text.slice(0, endOfCounted(prose.text))
  const rest = prose.text.slice(head.length)
  const isBody = rest.length > 0 || isTask(wire) || rules.some(({ reads }) => reads === 'body')
  const json = isBody ? null : parseJson(prose.text)
  // A text that is only a part of the body, or is not JSON, counts with its framing and settings.
  if (json === null || !('tape' in json)) return { text: textOf(head), thoughtTokens: 0, toolCount: 0, rest }
  const isCompact = rules.every(({ reads }) => reads === 'types')
  const thoughts = mostThoughts.find((most) => rules.some((rule) => rule.thoughts === most)) ?? 'all'
  return { ...countedText(json, wires[wire].settings, { isCompact, thoughts }), rest }
}

/** From models that read all thoughts to models that read none. */
const mostThoughts: readonly ReadThoughts[] = ['all', 'current', 'none']

function surplusOf(surplus: CountingRule['surplus'], text: string): number {
  return surplus === 'none' ? 0 : surplusTokens(text, surplus === 'digits')
}

/**
 * Google's models read the target of a schema reference again for every reference. A recorded schema with references
 * had 2.1 times as many tokens as o200k counts for its JSON.
 */
function readsReferences({ account: { kind }, target: { model } }: Plan): boolean {
  return kindFacts(kind).images === 'google' || /gemini/i.test(model)
}

const reference = '"$ref"'

/** Whether a call with this failure could be admitted with a smaller hold. */
export function isTooMuch({ code, details }: Failure): boolean {
  const { measure } = details
  if (measure === 'requests' || measure === 'calls') return false
  return (
    (code === 'rate_limited' && measure !== undefined) ||
    code === 'insufficient_credit' ||
    code === 'spend_limit_exceeded' ||
    code === 'outcome_capped' ||
    code === 'balance_held'
  )
}

/** The numbers of other rejections are micros. */
export function countsTokens({ details }: Failure): boolean {
  const { measure } = details
  return measure === 'tokens' || measure === 'inputTokens' || measure === 'outputTokens'
}

/**
 * Returns a number of words that o200k's tokens cannot be fewer than. A space before another character can only be the
 * first character of a token, so a new token begins at each word after a space, or at the space.
 */
export function wordsIn(text: string): number {
  let words = 0
  let before = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // Some non-ASCII characters are white space, so count all of them as white space.
    if (before === 0x20 && code > 0x20 && code < 0x7f) words++
    before = code
  }
  return words
}

/** For a shorter text, an exact count would save too little. */
const proseTokensMin = 256
/** The rest of a longer text counts as one token per byte, because counting it takes too long. */
const countedBytesMax = 256 * 1024
/** In bytes, of o200k's longest token. */
const tokenBytesMax = 128

/** Never splits a character. */
function endOfCounted(text: ByteText): number {
  if (text.length <= countedBytesMax) return text.length
  let at = countedBytesMax
  while (at > 0 && (text.charCodeAt(at) & 0xc0) === 0x80) at--
  return at
}
