import type { ByteText } from '#wire/text/byte-text.ts'
import { lettersMin, tokensOfWord, withLetter } from './common-words.ts'

/** The search covers this many bytes of a text. Each later byte counts as one token. */
export const searchedMax = 4096

/**
 * Returns an upper bound for the tokens of a text. For ordinary text, this bound is lower than one token per byte.
 *
 * A tokenizer merges two neighboring tokens if its vocabulary contains the merged token. The most common letter pairs
 * are the first entries of any vocabulary, so a tokenizer never leaves a common pair as two tokens of one byte each.
 * The function goes through the text letter by letter, and computes the maximum number of tokens that this rule allows.
 * This maximum is valid for any text, including random or adversarial text. If all letter pairs of a text are common,
 * the bound is two thirds of the number of bytes. Common words have fewer tokens (common-words.ts).
 *
 * A letter pair is common if it is among the first 2,000 tokens of each of r50k, p50k, cl100k and o200k. A letter pair
 * next to a backslash is not counted, because the backslash begins an escape. A letter pair before a non-ASCII
 * character is not counted, because that character may combine with the letter before it.
 */
export function tokensAtMost(text: ByteText, start: number, end: number): number {
  const size = Math.min(end - start, searchedMax)
  if (size <= 0) return 0
  // V8 reads an array of bytes several times faster than a string.
  const copied = bytes.write(text.slice(start, start + size + 2), 'latin1')
  // If the text ends here, treat the next bytes as non-ASCII, because these bytes are not known.
  for (let at = copied; at < size + 2; at++) bytes[at] = 0xff
  // `most` is the maximum number of tokens of all bytes so far. `mostBefore` is the same maximum without the last byte.
  // `joined` is the same maximum as `most` if one token contains the last two bytes.
  let most = 0
  let mostBefore = -1
  let joined = 0
  let earlier: number = kinds.mark
  let before: number = kinds.mark
  let kind = kindAt(0)
  for (let at = 0; at < size; at++) {
    if (kind >= kinds.letter && canBegin(at, before, earlier)) {
      let hash = 0
      let wordEnd = at
      for (; wordEnd < size && kindAt(wordEnd) >= kinds.letter; wordEnd++)
        hash = withLetter(hash, bytes[wordEnd] ?? 0)
      const tokens = wordEnd - at >= lettersMin && isEnd(wordEnd) ? tokensOfWord(bytes, at, wordEnd, hash) : 0
      if (tokens > 0) {
        // The character before the word may be in one token with the word.
        most = mostBefore = joined = Math.max(0, mostBefore) + tokens
        earlier = before = kinds.letter
        kind = kindAt(wordEnd)
        at = wordEnd - 1
        continue
      }
    }
    const next = kindAt(at + 1)
    const isPair = common[(before << 5) | kind] === 1 && next > kinds.backslash && earlier !== kinds.backslash
    const alone = (isPair ? joined : most) + 1
    joined = mostBefore + 1
    mostBefore = most
    most = alone > joined ? alone : joined
    earlier = before
    before = kind
    kind = next
  }
  return most + (end - start - size)
}

/** A word begins after a space, after punctuation, or after the escape of a line break or a tab. */
function canBegin(at: number, before: number, earlier: number): boolean {
  if (before === kinds.space || before === kinds.mark) return true
  if (earlier !== kinds.backslash || before < kinds.letter) return false
  // After two backslashes, the letter is not part of an escape.
  const escape = bytes[at - 1]
  return (
    (escape === 0x6e || escape === 0x72 || escape === 0x74) && (at < 3 || kindAt(at - 3) !== kinds.backslash)
  )
}

/**
 * A word does not end before a `\u` escape or a non-ASCII character, because a combining mark would change its last
 * letter.
 */
function isEnd(at: number): boolean {
  const kind = kindAt(at)
  if (kind === kinds.backslash) return bytes[at + 1] !== 0x75
  return kind === kinds.space || kind === kinds.mark
}

function kindAt(at: number): number {
  return kindOf[bytes[at] ?? 0xff] ?? kinds.beyondAscii
}

/** Each lowercase letter has its own number, starting at `letter`. All capitals share one number. */
const kinds = { beyondAscii: 0, backslash: 1, digit: 2, mark: 3, space: 4, letter: 5, capital: 31 } as const

const kindOf = Uint8Array.from({ length: 0x100 }, (_, code) => {
  const char = String.fromCharCode(code)
  if (code >= 0x80) return kinds.beyondAscii
  if (/[a-z]/.test(char)) return kinds.letter + code - 0x61
  if (/[A-Z]/.test(char)) return kinds.capital
  if (/\d/.test(char)) return kinds.digit
  return char === '\\' ? kinds.backslash : char === ' ' ? kinds.space : kinds.mark
})

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

const common = new Uint8Array(32 * 32)
for (const [one, others] of Object.entries(pairs))
  for (const other of others) common[(kindOfChar(one) << 5) | kindOfChar(other)] = 1

function kindOfChar(char: string): number {
  return kindOf[char.charCodeAt(0)] ?? 0
}

const bytes = Buffer.alloc(searchedMax + 2)
