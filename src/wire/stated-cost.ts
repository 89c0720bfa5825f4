import type { Usage } from '#money/usage.ts'
import { numberOrNull } from './json-values.ts'
import type { JsonObject } from './neutral.ts'

/** Ten thousand dollars: no call costs more. */
const nanosMax = 1e13

/**
 * What a provider says in its usage that the call has cost its account: xAI in units of 10^-10 dollars,
 * OpenRouter in dollars. Not charged by, only compared with what we make of the counts.
 * @param usage as it came, with the fields of its wire
 * @returns `{}` where it says nothing that can be believed
 */
export function statedCost(usage: JsonObject): Pick<Usage, 'statedCostNanos'> {
  const ticks = numberOrNull(usage.cost_in_usd_ticks)
  const dollars = numberOrNull(usage.cost)
  const nanos = ticks !== null ? ticks / 10 : dollars !== null ? dollars * 1e9 : null
  return nanos !== null && nanos >= 0 && nanos <= nanosMax ? { statedCostNanos: Math.round(nanos) } : {}
}
