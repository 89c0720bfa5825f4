import { Failure } from '#domain/errors.ts'
import type { WireRequest } from '#wire/request.ts'
import type { Plan } from './configuration.ts'

/** Tiers that cost what the price says, or less. */
const plainTiers: ReadonlySet<string> = new Set(['auto', 'default', 'standard', 'standard_only', 'flex'])

/**
 * A tier that costs more than the price says (priority is twice, `speed: fast` up to six times) would be paid
 * by the operator of this gateway, so it is refused unless the account's price lists what it costs.
 */
export function tierFault({ serviceTier }: WireRequest, { quote }: Plan): Failure | null {
  if (serviceTier === null || plainTiers.has(serviceTier.toLowerCase())) return null
  if (Object.hasOwn(quote.cost.serviceTiers ?? {}, serviceTier)) return null
  return new Failure(
    'unsupported_for_route',
    { reason: `the price of this model does not say what the tier ${serviceTier.slice(0, 40)} costs` },
    { param: 'service_tier' },
  )
}
