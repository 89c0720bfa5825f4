/**
 * The simulator's own tokenizer. The same text costs the same on every run and machine:
 *
 * - A token is up to five visible ASCII characters, plus one preceding white space character, if any.
 * - Every other character (further white space, control characters, non-ASCII letters) is a token of its own.
 *
 * English has about four characters per token. A token is never empty, so a text never has more tokens than bytes. The
 * gateway holds money for that number (docs/reference/tokens.md "The bound of an input").
 */
const visibleMax = 5

/** Splits the text into its tokens, in order. */
export function tokensOf(text: string): string[] {
  const tokens: string[] = []
  for (let start = 0; start < text.length;) {
    const end = tokenEnd(text, start)
    tokens.push(text.slice(start, end))
    start = end
  }
  return tokens
}

/** Returns the number of tokens of `tokensOf`, without creating them. */
export function countTokens(text: string): number {
  let count = 0
  for (let start = 0; start < text.length; start = tokenEnd(text, start)) count++
  return count
}

function tokenEnd(text: string, start: number): number {
  let end = start
  if (isSpace(text.charCodeAt(end))) end++
  const visibleEnd = Math.min(end + visibleMax, text.length)
  const visibleStart = end
  while (end < visibleEnd && isVisible(text.charCodeAt(end))) end++
  if (end > visibleStart || end > start) return end
  // The two halves of a surrogate pair are one character.
  return (text.codePointAt(start) ?? 0) > 0xffff ? start + 2 : start + 1
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}

function isVisible(code: number): boolean {
  return code > 0x20 && code < 0x7f
}
