/**
 * What a call must hold and cost, computed from docs/guides/hang-up.md and the price alone. Nothing of
 * the product is used here: a test that asked the product what is right could not find it wrong.
 *
 * For ASCII texts, which is what the tests send where an amount is exact.
 */

/** Micros per million tokens. */
export interface Rates {
  readonly input: bigint
  readonly output: bigint
}

/** One division, rounded up. */
export function costMicros(
  rates: Rates,
  tokens: { readonly input: number; readonly output: number },
): bigint {
  const exact = rates.input * BigInt(tokens.input) + rates.output * BigInt(tokens.output)
  return (exact + 999_999n) / 1_000_000n
}

/** The most that a provider can count for a body: a token for each byte, and what frames the messages. */
export function boundTokens(body: string, { messages = 1, hasTools = false } = {}): number {
  return body.length + 64 + 8 * messages + (hasTools ? 1024 : 0)
}

/** What is held for a body whose answers are at most `outputTokens` together. */
export function worstMicros(rates: Rates, body: string, outputTokens: number, messages = 1): bigint {
  return costMicros(rates, { input: boundTokens(body, { messages }), output: outputTokens })
}

/** Our count of the input: a third of a token for each byte. */
export function countedInput(body: string): number {
  return Math.ceil(body.length / 3)
}

/** Our count of what was delivered: a third of a token a byte, and a token at least for each chunk with text. */
export function countedOutput(pieces: readonly string[]): number {
  const texts = pieces.filter((piece) => piece !== '')
  return Math.max(Math.ceil(bytesOf(texts) / 3), texts.length)
}

/**
 * The same where the provider was told a maximum: it did not pass it unless there is sure evidence, which
 * is as many tokens as chunks with text (unless those are tiny), or a token per 15 characters.
 */
export function countedOutputTold(pieces: readonly string[], toldTokensMax: number): number {
  const texts = pieces.filter((piece) => piece !== '')
  const bytes = bytesOf(texts)
  const sure = Math.max(Math.min(texts.length, Math.ceil(bytes / 4)), Math.floor(bytes / 15))
  return Math.min(countedOutput(pieces), Math.max(toldTokensMax, sure))
}

export function min(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((bytes, text) => bytes + text.length, 0)
}
