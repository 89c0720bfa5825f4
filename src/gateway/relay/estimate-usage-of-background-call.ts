import type { BackgroundCall } from '#domain/background/background-holds-interface.ts'
import { zeroUsage, type Usage } from '#money/usage-counts.ts'

/** The count never exceeds the hold. */
export function deliveredUsage(
  { bound, inputEstimate }: Pick<BackgroundCall, 'bound' | 'inputEstimate'>,
  outputTokens: number,
): Usage {
  const { audioTokens, imageTokens, serviceTier, textTokens } = bound
  return {
    ...zeroUsage,
    input: Math.min(inputEstimate, textTokens + audioTokens + imageTokens),
    output: Math.min(outputTokens, bound.outputTokens),
    serviceTier,
  }
}
