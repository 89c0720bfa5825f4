/**
 * Returns the tokens that a tokenizer with a smaller vocabulary may need for a text, beyond a fixed factor of o200k's
 * tokens (docs/reference/tokens.md "Counting the input with a tokenizer"). o200k has single tokens for three digits and
 * for long runs of one character. Other tokenizers have a token for each digit, and tokens only for shorter runs of one
 * character. Most vocabularies have few tokens for text that is not ASCII.
 * @param isMultilingual whether the vocabulary has as many tokens for non-Latin scripts as o200k
 */
export function surplusTokens(text: string, isMultilingual: boolean): number {
  let tokens = 0
  for (const [digits] of text.matchAll(/\d{2,}/g))
    tokens += digits.length - Math.ceil(digits.length / digitsPerToken)
  for (const [run] of text.matchAll(longRuns)) tokens += Math.ceil(run.length / charactersPerRunToken)
  if (!isMultilingual) tokens += Math.ceil(bytesBeyondAscii(text) / 2)
  return tokens
}

function bytesBeyondAscii(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // Each half of a surrogate pair, which has four bytes, counts as two bytes.
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3
  }
  return bytes
}

const digitsPerToken = 3
const charactersPerRunToken = 8
const longRuns = /(\D)\1{7,}/g
