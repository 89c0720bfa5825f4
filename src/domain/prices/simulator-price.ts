import type { Price } from '#money/price.ts'

/**
 * The default price of the built-in simulator, in micros per million tokens. The price is above 0, so that users can
 * try holds, charges and rejections without a provider.
 */
export const simulatorPrice: Price = {
  input: 1_000_000n,
  cacheRead: 100_000n,
  output: 4_000_000n,
}
