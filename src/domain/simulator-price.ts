import type { Price } from '#money/price.ts'

/**
 * What the built-in simulator costs: about what a small hosted model does, so that a newcomer sees
 * believable money before any provider account exists. An override on the account replaces it.
 */
export const simulatorPrice: Price = { input: 1_000_000n, cacheRead: 100_000n, output: 4_000_000n }
