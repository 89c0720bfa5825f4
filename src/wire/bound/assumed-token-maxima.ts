/**
 * The largest context window of any model, in tokens. A provider rejects an input that is longer than the context
 * window, and bills nothing for it.
 */
export const contextTokensMax = 2_000_000

/**
 * The maximum output of a compaction, in tokens. No field of a request limits the output of a compaction
 * (docs/reference/tokens.md "Compactions").
 */
export const compactionTokensMax = 16_384
