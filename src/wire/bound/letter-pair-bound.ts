import type { ByteText } from '#wire/text/byte-text.ts'
import { lettersMin, tokensOfWord, withLetter } from './common-words.ts'
import { isDigit } from './token-count.ts'

/**
 * Returns an upper bound for the tokens of a text. For ordinary text, this bound is lower than one token per byte.
 *
 * A tokenizer merges two neighbors if their merge is in its vocabulary. The most common letter pairs are the first
 * entries of any vocabulary, so a common pair never remains two tokens of one byte each. Letter by letter, the function
 * computes the maximum number of tokens that this rule allows. The result is valid for any text, including random or
 * adversarial text. If all pairs are common, the result is two thirds of the number of bytes.
 *
 * A pair is common if it is among the first 2,000 tokens of each of r50k, p50k, cl100k and o200k. Other vocabularies
 * have 32,000 entries or more. A pair next to a backslash is not counted, because the backslash begins an escape. A
 * pair before a non-ASCII character is not counted, because that character may combine with the letter before it.
 * @param bytesMax how much of the text is examined (about 8 ns per byte); the rest counts one token per byte
 */
export function tokensAtMost(text: ByteText, start: number, end: number, bytesMax: number): number {
  const looked = Math.min(end, start + bytesMax)
  if (looked <= start) return end - start
  // The maximum number of tokens for all bytes so far, for all bytes except the last, and for all bytes if a longer
  // token contains the last byte.
  let most = 0
  let mostBefore = -1
  let joined = 0
  let earlier = 0
  let before = 0
  // The start of the word that contains the last byte, or -1 outside of words, and the word's hash. Then the maximum
  // number of tokens before the word and before the character that precedes it.
  let word = -1
  let hash = 0
  let mostBeforeWord = 0
  let canBegin = true
  let escapeEnd = start
  for (let at = start; at < looked; at++) {
    const code = text.charCodeAt(at)
    const next = text.charCodeAt(at + 1)
    const isPair =
      (before | code) < 0x80 &&
      common[before * 0x80 + code] === 1 &&
      next < 0x80 &&
      next !== backslash &&
      earlier !== backslash
    const alone = (isPair ? joined : most) + 1
    joined = mostBefore + 1
    mostBefore = most
    most = alone > joined ? alone : joined
    const isEscape = before === backslash && earlier !== backslash
    if (isEscape && code === 0x75) escapeEnd = at + 5
    if (isLetter(code) && before !== backslash && at >= escapeEnd) {
      if (canBegin) {
        canBegin = false
        word = at
        hash = 0
      }
      hash = withLetter(hash, code)
      if (word >= 0 && at - word >= lettersMin - 1 && isEndOfWord(text, at + 1)) {
        const tokens = tokensOfWord(text, word, at + 1, hash)
        if (tokens > 0 && mostBeforeWord + tokens < most) most = mostBefore = joined = mostBeforeWord + tokens
      }
    } else {
      word = -1
      // The escape of a quote, a line break or a tab separates words.
      canBegin = isEscape ? isBreakEscape(code) : isBreak(code)
      mostBeforeWord = mostBefore
    }
    earlier = before
    before = code
  }
  return most + (end - looked)
}

function isLetter(code: number): boolean {
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

/** Whether a word can begin after the byte, and the byte may be in one token with the word. */
function isBreak(code: number): boolean {
  return code < 0x80 && code !== backslash && !isDigit(code)
}

/** Whether a word ends before the byte. A combining mark, also as an escape, would change the last letter. */
function isEndOfWord(text: ByteText, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code === backslash) return text.charCodeAt(at + 1) !== 0x75
  return isBreak(code) && !isLetter(code)
}

function isBreakEscape(code: number): boolean {
  return code === 0x22 || code === 0x6e || code === 0x72 || code === 0x74
}

const backslash = 0x5c

/** For each first letter, the letters that may follow it in a common pair. */
const pairs: Readonly<Record<string, string>> = {
  ' ': 'abcdefghijklmnoprstuvwyz',
  a: 'bcdghjklmnprstvwxyz',
  b: 'er',
  c: 'cehklot',
  d: 'du',
  e: 'cdfgklmnprstwx',
  f: 'ft',
  g: 'eh',
  h: 'e',
  i: 'abcdefgklmnoprstvxz',
  k: 'e',
  l: 'dely',
  m: 's',
  n: 'degt',
  o: 'bcdfgklmnprstuvw',
  p: 'ehlprst',
  q: 'u',
  r: 'aeioy',
  s: 'ehost',
  t: 'ehoy',
  u: 'bcdeglmnprst',
  v: 'e',
  w: 'enw',
  y: 's',
}

const common = new Uint8Array(0x80 * 0x80)
for (const [one, others] of Object.entries(pairs))
  for (const other of others) common[one.charCodeAt(0) * 0x80 + other.charCodeAt(0)] = 1
