import type { Dimension } from '#money/price.ts'
import type { ProviderKind } from './application-config.ts'

/**
 * What a price must name before anything is served at it: every dimension that a provider of the kind
 * reports of plain text, but for those that never cost more than what they are a part of. Cache reads
 * are a part of the input and reasoning is a part of the output everywhere: without a rate of their own
 * they cost what the whole does. Cache writes cost more than the input (1.25 and 2 times at Anthropic,
 * 1.25 times at OpenAI), so a price without them would charge too little.
 *
 * Audio, images and searches are reported only of requests that have them in it. Where a price does not
 * name them they cost the dearest rate of their side (money/cost.ts, docs/guides/prices.md).
 */
export const reportedDimensions: Readonly<Record<ProviderKind, readonly Dimension[]>> = {
  openai: ['input', 'cacheWrite', 'output'],
  anthropic: ['input', 'cacheWrite', 'cacheWriteLong', 'output'],
  google: ['input', 'output'],
  openai_compatible: ['input', 'output'],
  simulator: ['input', 'output'],
}

/**
 * What a bundle's own price must name. It is not a provider's bill: what it does not charge apart costs
 * what its kin does.
 */
export const soldDimensions: readonly Dimension[] = ['input', 'output']
