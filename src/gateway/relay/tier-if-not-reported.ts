import type { Usage } from '#money/usage-counts.ts'
import type { Reserved } from '#gateway/call/call-state-types.ts'
import type { WireRequest } from '#wire/wire-request.ts'

/**
 * Returns the usage with the requested service tier if the provider has reported no tier. The requested tier may cost
 * more than the default tier.
 */
export function withRequestedTier(
  usage: Usage,
  { serviceTier }: Pick<WireRequest, 'serviceTier'>,
  { dispatch }: Pick<Reserved, 'dispatch'>,
): Usage {
  // `auto` lets the provider choose the tier.
  if (usage.serviceTier !== null || serviceTier === null || serviceTier === 'auto') return usage
  return dispatch.lost.some((field) => tierFields.has(field)) ? usage : { ...usage, serviceTier }
}

/** Names of the tier's field in the list of fields that a conversion has lost. */
const tierFields: ReadonlySet<string> = new Set(['service_tier', 'serviceTier'])
