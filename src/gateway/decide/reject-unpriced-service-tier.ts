import { Failure } from '#domain/errors.ts'
import { isPlainTier } from '#money/price.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'

/**
 * Fails if the price does not list the requested tier. Priority processing costs twice the listed price, and `speed:
 * fast` up to six times. The operator of this gateway would pay the difference.
 */
export function unpricedTierFault({ serviceTier }: WireRequest, { quote }: Plan): Failure | null {
  if (serviceTier === null || isPlainTier(serviceTier)) return null
  if (Object.hasOwn(quote.cost.serviceTiers ?? {}, serviceTier)) return null
  return new Failure(
    'unsupported_for_route',
    { reason: `this model has no price for the service tier ${serviceTier.slice(0, 40)}` },
    { param: 'service_tier' },
  )
}
