import type { ByteText } from '#wire/text/byte-text.ts'

/**
 * Maximum tokens of the instructions that a provider adds for citations. In recorded requests, citations added at most
 * 464 tokens to a short document (docs/reference/tokens.md "Citations").
 */
export const citationTokens = 1_024

/** Returns the tokens that citations add to a text: the instructions, and a mark around each copied sentence. */
export function tokensOfCitations(text: ByteText): number {
  return citationTokens + text.length + sentenceTokens * (text.match(sentenceEnd)?.length ?? 0)
}

const sentenceTokens = 16
/**
 * The ends of sentences, as UTF-8 bytes in a text or in JSON: punctuation and line breaks, also Chinese and Japanese.
 */
const sentenceEnd = /[.!?\n\r]|\\[nr]|\xe3\x80\x82|\xef\xbc[\x81\x9f]/g
