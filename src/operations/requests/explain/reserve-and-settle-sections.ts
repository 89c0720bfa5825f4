import type * as z from 'zod'
import { formatMicros } from '#money/amount.ts'
import { hasUnpricedTier, hasUnpricedUse } from '#money/cost.ts'
import type { Leg } from '#money/decision-types.ts'
import { earnedOnCalls } from '#domain/sums-of-request-figures.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { CallCorrection } from '#domain/billing/call-correction-record.ts'
import type { CallSettlement } from '#domain/calls/call-record.ts'
import type { StoredLeg } from '#explain/sections-of-trace.ts'
import type { DisputeReason } from './phase-schemas.ts'
import type { CustomerExplanation, Facts } from './read-stored-facts.ts'
import { failedMicrosOf } from './route-section.ts'

type Sources = Facts['sources']

/**
 * While the request is in flight, the hold is in the row of the request. Later, it is in the request's trace and
 * settlement.
 */
export function reserveSection({ sources, story, trace }: Facts): CustomerExplanation['reserve'] {
  const { call, hold, settlement } = story
  const { reserve } = trace
  if (reserve === null && hold === null && settlement === null) return null
  const { firstWorstMicros, walletHeldMicros } = reserve ?? {}
  const legs = hold ? legsJson(hold.legs) : reserve?.legs
  return {
    ...reserve,
    ...((hold ?? settlement) && { holdId: idOf('hold', call.callId) }),
    ...(walletHeldMicros && {
      // `walletHeldMicros` in the trace includes the hold of this request.
      walletHeldBeforeMicros: String(BigInt(walletHeldMicros) - heldOfWallet(reserve?.legs ?? [])),
    }),
    ...(settlement && { worstMicros: formatMicros(settlement.worstMicros) }),
    ...(settlement &&
      firstWorstMicros && {
        extendedMicros: formatMicros(settlement.worstMicros - BigInt(firstWorstMicros)),
      }),
    ...(hold && {
      worstMicros: formatMicros(hold.worstMicros),
      worstCredits: formatMicros(hold.worstCredits),
      reservedAt: new Date(hold.reservedAtMs).toISOString(),
      inputTokensEstimated: hold.inputEstimate,
    }),
    ...(legs && { legs: named(legs, sources) }),
  }
}

function heldOfWallet(legs: readonly StoredLeg[]): bigint {
  return legs.reduce((sum, { kind, micros }) => (kind === 'wallet' ? sum + BigInt(micros ?? 0) : sum), 0n)
}

/** If settling took longer than this, it must have waited for the store. */
const lateMs = 60_000

export function settleSection({ entries, sources, story, trace }: Facts): CustomerExplanation['settle'] {
  const { call, settlement } = story
  if (!settlement) return null
  const { assumedMicros, billedMicros, chargeMicros, costMicros } = settlement
  const { overHoldMicros, paid, settledAtMs, tokenSource, worstMicros } = settlement
  return {
    costMicros: formatMicros(costMicros),
    assumedMicros: formatMicros(assumedMicros),
    failedAttemptsMicros: formatMicros(failedMicrosOf(trace)),
    billedMicros: formatMicros(billedMicros),
    chargeMicros: formatMicros(chargeMicros),
    ...(paid !== null && {
      revenueMicros: formatMicros(earnedOnCalls(paid)),
      marginMicros: formatMicros(earnedOnCalls(paid) - costMicros),
    }),
    overHoldMicros: formatMicros(overHoldMicros),
    releasedMicros: formatMicros(worstMicros > chargeMicros ? worstMicros - chargeMicros : 0n),
    aboveHoldMicros: formatMicros(chargeMicros > worstMicros ? chargeMicros - worstMicros : 0n),
    usageRecordId: idOf('ur', call.callId),
    isEstimated: tokenSource === 'estimated',
    isRecovered: tokenSource === 'recovered',
    isOverHold: overHoldMicros > 0n,
    isDisputed: settlement.isDisputed,
    disputedBecause: disputeReasons(settlement, trace),
    isLate: settledAtMs - call.atMs - (call.latencyMs ?? 0) > lateMs,
    legs: named(legsJson(settlement.legs), sources),
    ledgerEntryIds: entries.map(({ id }) => id),
    outcome: settlement.outcomeSlug,
    outcomeRun: settlement.runId,
    settledAt: new Date(settledAtMs).toISOString(),
  }
}

/**
 * The record states only whether the cost is disputed, so the reason is found in the usage and the trace. If no other
 * reason applies, the provider stated another cost than the gateway computed. Earlier requests also decide whether such
 * a difference is a dispute.
 */
function disputeReasons(
  { isDisputed, quote, usage }: CallSettlement,
  { route }: Facts['trace'],
): z.infer<typeof DisputeReason>[] {
  if (isDisputed !== true) return []
  const reasons: z.infer<typeof DisputeReason>[] = []
  if (typeof route?.answeredBy === 'string') reasons.push('another_model')
  if (hasUnpricedUse(usage, quote.cost)) reasons.push('unpriced_web_search')
  if (hasUnpricedTier(usage, quote.cost)) reasons.push('unpriced_service_tier')
  return reasons.length > 0 ? reasons : ['stated_cost']
}

/** @param sources maps the ID of a source to its name in the ledger */
export function correctionView(
  correction: CallCorrection,
  sources: Sources,
): CustomerExplanation['corrections'][number] {
  return {
    id: correction.id,
    kind: correction.kind,
    chargeMicros: correction.chargeMicros,
    billedMicros: correction.billedMicros,
    costMicros: correction.costMicros,
    legs: named(legsJson(correction.legs), sources),
    ledgerEntryIds: [...correction.entryIds],
    reason: correction.reason,
    actor: correction.actor,
    createdAt: correction.createdAtMs,
  }
}

function legsJson(legs: readonly Leg[]): StoredLeg[] {
  return legs.map(({ amount, kind, micros, sourceId, unit }) => ({
    sourceId,
    kind,
    unit,
    amount: formatMicros(amount),
    micros: formatMicros(micros),
  }))
}

function named(legs: readonly StoredLeg[], sources: Sources): StoredLeg[] {
  return legs.map((leg) => ({ ...leg, sourceId: sources.get(leg.sourceId ?? '') ?? leg.sourceId ?? null }))
}
