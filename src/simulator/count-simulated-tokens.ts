/**
 * The simulator's own tokenizer counts the same number on every machine and in every run, by these rules:
 *
 * - A token consists of up to five visible ASCII characters and one white space character before them, if there is one.
 * - Every other character (more white space, control characters, non-ASCII letters) is a token of its own.
 *
 * In English, a token has about four characters. A token is never empty, so a text never has more tokens than bytes.
 * The gateway holds money for one token per byte (docs/reference/tokens.md "Upper bound of the input tokens").
 */
const visibleMax = 5

export function tokensOf(text: string): string[] {
  const tokens: string[] = []
  for (let start = 0; start < text.length;) {
    const end = tokenEnd(text, start)
    tokens.push(text.slice(start, end))
    start = end
  }
  return tokens
}

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
  // A surrogate pair counts as one character.
  return (text.codePointAt(start) ?? 0) > 0xffff ? start + 2 : start + 1
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}

function isVisible(code: number): boolean {
  return code > 0x20 && code < 0x7f
}
