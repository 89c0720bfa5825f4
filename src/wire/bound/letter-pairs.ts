import type { ByteText } from '#wire/text/byte-text.ts'

/**
 * The most tokens that bytes of text can be, where a token per byte is known to be too many.
 *
 * A tokenizer merges two neighbours as long as their merge is in its vocabulary, and the commonest pairs of
 * letters are the first that any vocabulary is made of. So two such letters never stay two tokens of a byte
 * each. The most tokens that a text can be cut into under that rule alone is found letter by letter; it holds
 * for any text, random or made to be dear, and is two thirds of the bytes where all pairs are common.
 *
 * Common are the pairs that are among the first 2,000 tokens of each of r50k, p50k, cl100k and o200k: the
 * vocabularies of others are of 32,000 and more. No pair counts beside a backslash, which begins an escape,
 * nor before what is not ASCII, which may become one with the letter before it.
 * @param bytesMax how much of the text is looked at (some 2 ns a byte); the rest is a token per byte
 */
export function tokensAtMost(text: ByteText, start: number, end: number, bytesMax: number): number {
  const looked = Math.min(end, start + bytesMax)
  if (looked <= start) return end - start
  // The most tokens of: all bytes so far; all but the last; all, with the last inside a longer token.
  let most = 1
  let mostBefore = 0
  let joined = 0
  let earlier = 0
  let before = text.charCodeAt(start)
  for (let at = start + 1; at < looked; at++) {
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
    earlier = before
    before = code
  }
  return most + (end - looked)
}

const backslash = 0x5c

/** First letter -> the letters that may follow it in a common pair. */
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
