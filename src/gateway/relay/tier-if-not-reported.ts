import { isCheaperTier } from '#money/cost.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { Reserved } from '#gateway/call/call-state-types.ts'
import type { WireRequest } from '#wire/wire-request.ts'

/**
 * Returns the usage with the requested service tier if the provider has reported no tier. A tier that costs less than
 * the default tier counts only if the provider reports it, because the provider may have served the default tier.
 */
export function withRequestedTier(
  usage: Usage,
  { serviceTier, wire }: Pick<WireRequest, 'serviceTier' | 'wire'>,
  { dispatch, plan }: Pick<Reserved, 'dispatch' | 'plan'>,
): Usage {
  // `auto` lets the provider choose the tier.
  if (usage.serviceTier !== null || serviceTier === null || serviceTier === 'auto') return usage
  // The list can also contain unknown fields of the client, such as the name that another wire gives the tier.
  const field = wire === 'generate' || wire === 'converse' ? 'serviceTier' : 'service_tier'
  if (dispatch.lost.includes(field)) return usage
  const { cost, sell } = plan.quote
  return isCheaperTier(cost, serviceTier) || isCheaperTier(sell, serviceTier)
    ? usage
    : { ...usage, serviceTier }
}
