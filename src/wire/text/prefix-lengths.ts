/**
 * For each position of the text, returns the length of the longest beginning of the pattern that ends at this position.
 * Takes linear time (Knuth, Morris and Pratt, "Fast Pattern Matching in Strings"). Comparing each length separately
 * would take quadratic time.
 */
export function prefixLengths(text: string, pattern: string): Uint32Array {
  const borders = bordersOf(pattern)
  const lengths = new Uint32Array(text.length + 1)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    length = extended(length, text.charCodeAt(at), pattern, borders)
    lengths[at + 1] = length
  }
  return lengths
}

/** For each length, returns the longest shorter beginning of the pattern that also ends at this length. */
function bordersOf(pattern: string): Uint32Array {
  const borders = new Uint32Array(pattern.length + 1)
  let length = 0
  for (let at = 1; at < pattern.length; at++) {
    length = extended(length, pattern.charCodeAt(at), pattern, borders)
    borders[at + 1] = length
  }
  return borders
}

function extended(matched: number, code: number, pattern: string, borders: Uint32Array): number {
  let length = matched
  // A complete pattern cannot be extended: its next code is NaN, which differs from every code.
  while (length > 0 && pattern.charCodeAt(length) !== code) length = borders[length] ?? 0
  return pattern.charCodeAt(length) === code ? length + 1 : length
}
