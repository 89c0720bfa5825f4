/**
 * How much room the limits and the sources leave, and who is named when it is not enough.
 *
 * Limits count the whole price of a call, whoever pays for it. A cap is there to bound what a key or
 * a run can consume; if pools did not count, a leaked key would empty them under a cap of nothing.
 */
import type { Limit, LimitKind, Source } from './hold.ts'
import type { Refusal } from './refusal.ts'
import { available, unitOf } from './sources.ts'
import type { Demand } from './worst-case.ts'

/** The order in which limits are named; all of them bind. */
const LIMIT_ORDER: readonly LimitKind[] = ['outcome_run', 'key_cap', 'bundle_limit']

/** What the tightest limit leaves; may be negative. Null: there is no limit. */
export function roomOf(limits: readonly Limit[]): bigint | null {
  let room: bigint | null = null
  for (const limit of limits) {
    const left = leftOf(limit)
    if (room === null || left < room) room = left
  }
  return room
}

function leftOf({ limitMicros, spentMicros, heldMicros }: Limit): bigint {
  return limitMicros - spentMicros - heldMicros
}

/** The refusal of a demand that does not fit, with the numbers of the first limit that it breaks. */
export function roomRefusal(limits: readonly Limit[], sources: readonly Source[], demand: Demand): Refusal {
  for (const kind of LIMIT_ORDER) {
    const limit = limits.find((each) => each.kind === kind && demand.micros > leftOf(each))
    if (limit === undefined) continue
    return {
      kind: 'refused',
      code: kind === 'outcome_run' ? 'outcome_capped' : 'spend_limit_exceeded',
      limitSource: kind,
      limit: limit.limitMicros,
      used: limit.spentMicros,
      held: limit.heldMicros,
      requested: demand.micros,
      resetsAtMs: limit.resetsAtMs,
    }
  }
  return sourceRefusal(sources, demand)
}

function sourceRefusal(sources: readonly Source[], demand: Demand): Refusal {
  const last = sources.at(-1)
  // On-demand comes last of all; where it has no ceiling nothing is refused for want of money.
  if (last?.kind === 'on_demand' && available(last) !== null) {
    return {
      kind: 'refused',
      code: 'spend_limit_exceeded',
      limitSource: 'on_demand_ceiling',
      limit: last.limitMicros,
      used: -last.posted,
      held: last.held,
      requested: demand.micros,
      resetsAtMs: last.endsAtMs,
    }
  }
  const stopsAtPool = last?.kind === 'pool' && !last.thenOnDemand
  return {
    kind: 'refused',
    code: 'insufficient_credit',
    limitSource: stopsAtPool ? 'pool' : 'balance',
    limit: total(sources, demand, 'posted'),
    used: null,
    held: total(sources, demand, 'held'),
    requested: demand.micros,
    resetsAtMs: stopsAtPool ? last.endsAtMs : null,
  }
}

/** In micros; credits are worth what this call's two prices make them worth, rounded down. */
function total(sources: readonly Source[], demand: Demand, field: 'posted' | 'held'): bigint {
  let sum = 0n
  for (const source of sources) {
    if (unitOf(source) === 'micros') sum += source[field]
    else if (demand.credits > 0n) sum += (source[field] * demand.micros) / demand.credits
  }
  return sum
}
