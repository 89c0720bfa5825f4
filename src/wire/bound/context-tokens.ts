/** The largest context of a model. A provider rejects a longer input and bills nothing for it. */
export const contextTokensMax = 2_000_000
