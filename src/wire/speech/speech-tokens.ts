/**
 * Returns the maximum audio tokens of a spoken text (docs/reference/tokens.md "Speech").
 * @param text.textBytes UTF-8 bytes of the text
 * @param text.speed requested speed, where 1 is the usual speed
 * @param text.isInstructed whether instructions may request a slow voice
 */
export function speechTokensMax(text: {
  readonly textBytes: number
  readonly speed: number
  readonly isInstructed: boolean
}): number {
  const slowness = Math.max(1, 1 / text.speed) * (text.isInstructed ? 2 : 1)
  return Math.ceil((shortestTokens + tokensPerByte * text.textBytes) * slowness)
}

/** About 25 seconds of speech, because a model may add silence and breaths to a short text. */
const shortestTokens = 512
/**
 * Maximum audio tokens per byte of text. A digit is one byte and takes 0.4 seconds to speak, which is about 8 tokens.
 * Ordinary English text has about 1.4 tokens per byte, and Chinese text has 1.5.
 */
const tokensPerByte = 8

/** OpenAI estimates 1,250 tokens per minute: $0.015 at $12 per million tokens. */
export const tokensPerSecond = 1_250 / 60
