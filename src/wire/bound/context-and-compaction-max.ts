/** The largest context window of any model, in tokens. A provider rejects a longer input and bills nothing for it. */
export const contextTokensMax = 2_000_000

/** The maximum output of a compaction, in tokens. No field limits it (docs/reference/tokens.md "Compactions"). */
export const compactionTokensMax = 16_384
