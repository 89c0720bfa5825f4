import type { ByteText } from '#wire/text/byte-text.ts'

/**
 * Maximum tokens of the instructions that a provider adds for citations. In recorded requests, citations added at most
 * 464 tokens to a short document (docs/reference/tokens.md "Citations").
 */
export const citationTokens = 1_024

/**
 * Returns the tokens that citations add to a text. These tokens are the instructions for citations, and a mark around
 * each copied sentence.
 */
export function tokensOfCitations(text: ByteText): number {
  return citationTokens + text.length + sentenceTokens * (text.match(sentenceEnd)?.length ?? 0)
}

const sentenceTokens = 16
/**
 * The characters that end a sentence, as UTF-8 bytes in a text or in JSON: ASCII punctuation, line breaks, and Chinese
 * and Japanese punctuation.
 */
const sentenceEnd = /[.!?\n\r]|\\[nr]|\xe3\x80\x82|\xef\xbc[\x81\x9f]/g
