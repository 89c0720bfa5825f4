import type { Price } from '#money/price.ts'

/**
 * What the built-in simulator costs where it has no price of its own, in micros per million tokens. It is a
 * price and not nothing, so that holds, charges and refusals can be seen before there is a provider.
 */
export const simulatorPrice: Price = {
  input: 1_000_000n,
  cacheRead: 100_000n,
  output: 4_000_000n,
}
