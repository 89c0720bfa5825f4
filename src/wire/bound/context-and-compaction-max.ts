/** The largest context of a model. A provider rejects a longer input and bills nothing for it. */
export const contextTokensMax = 2_000_000

/** The maximum output of a compaction. No field limits it (docs/reference/tokens.md "Compactions"). */
export const compactionTokensMax = 16_384
