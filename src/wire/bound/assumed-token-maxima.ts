/** A provider rejects an input that is longer than the context window, and bills nothing for it. */
export const contextTokensMax = 2_000_000

/** No field of a request limits the output of a compaction (docs/reference/tokens.md "Compactions"). */
export const compactionTokensMax = 16_384
