/**
 * Token counts from bytes alone, for when the provider says nothing yet or never will.
 *
 * Two different counts, for two different duties:
 * - the **bound** before dispatch is one token per byte: byte-level BPE cannot emit more (tokens.md 1.2);
 * - the **count** while and after is an estimate that leans high per script, because the truth arrives
 *   only with the last frame: a third of a token for an ASCII byte (English is about a quarter), one for
 *   a two-byte character, four thirds for a three-byte one (CJK), three for a four-byte one (emoji).
 *
 * Kept in thirds of a token so that a long stream rounds once.
 */
export function thirdsOf(bytes: Uint8Array, start: number, end: number): number {
  let thirds = 0
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0
    if (byte < 0x80) thirds += 1
    else if (byte >= 0xf0) thirds += 9
    else if (byte >= 0xe0) thirds += 4
    else if (byte >= 0xc0) thirds += 3
  }
  return thirds
}

export function tokensFromThirds(thirds: number): number {
  return Math.ceil(thirds / 3)
}

/** U+FDFA is 3 bytes of UTF-8, and 33 once a tokenizer has normalised it; as an escape it is 6. */
const escapeGrowthBytes = 27

/**
 * Bytes of the text as a tokenizer may see it: some normalise to NFKC first, which can make one
 * character eighteen (tokens.md 1.2, measured). ASCII text cannot grow, but for what its escapes hide.
 */
export function boundBytes(bytes: Uint8Array): number {
  let isAscii = true
  let escapes = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (byte >= 0x80) isAscii = false
    else if (byte === 0x5c && bytes[i + 1] === 0x75) escapes++
  }
  const growth = escapes * escapeGrowthBytes
  if (isAscii) return bytes.length + growth
  const normalised = new TextEncoder().encode(new TextDecoder().decode(bytes).normalize('NFKC')).length
  return Math.max(bytes.length, normalised) + growth
}
