import * as z from 'zod'
import type { EndUser } from '#domain/records.ts'
import type { RateLimit } from '#money/hold.ts'
import { amountOf, appliesTo, heldAmount, resetsAt, slotsOfRule } from '#money/rate-limit.ts'
import type { PlanReads } from '#operations/billing/current-plan.ts'
import { modeTime } from '#operations/kernel/mode-time.ts'
import { MicrosSum, SignedMicros, Timestamp } from '#operations/kernel/schemas.ts'
import { limitFields } from './end-user-limits.ts'

export const RateLimitUse = z
  .object({
    ...limitFields,
    used: MicrosSum.meta({ description: 'Amount counted in the window.' }),
    held: MicrosSum.meta({ description: 'Amount that requests in flight hold.' }),
    available: SignedMicros.meta({ description: 'Remaining amount. Negative if the limit was lowered.' }),
    resetsAt: Timestamp.nullable().meta({
      description: 'When the first counted amount leaves the window. Null if nothing is counted, or never.',
    }),
  })
  .meta({ id: 'EndUserRateLimit', description: 'A rate limit of an end user, with its use.' })

/** Returns the view of the end user's rate limits in the mode of the request. */
export async function rateLimitUses(
  endUser: EndUser,
  context: PlanReads,
): Promise<z.output<typeof RateLimitUse>[]> {
  return (await rateLimitsOf(endUser, context)).map(viewOf)
}

/** Returns the end user's rate limits in the mode of the request, as the ledger counts them. */
export async function rateLimitsOf(endUser: EndUser, context: PlanReads): Promise<RateLimit[]> {
  const { mode, store } = context
  const nowMs = modeTime(context)
  const rules = (await store.balances.rates([endUser.id], mode)).get(endUser.id) ?? []
  if (rules.length === 0) return []
  const uses = await store.balances.rateUses(endUser.id, mode)
  const inFlight = await store.balances.boundsInFlight(endUser.id, mode)
  return rules.map((rule) => {
    const counted = inFlight.filter(({ bound }) => appliesTo(rule, bound.alias))
    const held = counted.reduce((sum, hold) => sum + heldAmount(rule.measure, hold), 0n)
    return { ...rule, slots: slotsOfRule(rule, uses, nowMs), held }
  })
}

function viewOf(limit: RateLimit): z.output<typeof RateLimitUse> {
  const { held, measure, models, most, slots, window } = limit
  const used = amountOf(slots)
  return {
    measure,
    ...(window !== null && { window }),
    most,
    ...(models !== null && { models: [...models] }),
    used,
    held,
    available: most - used - held,
    resetsAt: resetsAt(limit),
  }
}
