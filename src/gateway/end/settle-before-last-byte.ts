import { costOfFailedAttempts } from '#domain/calls/cost-of-failed-attempts.ts'
import { Failure } from '#domain/errors.ts'
import type { EndedCall, SettleRequest } from '#domain/ledger-interface.ts'
import { costOf, hasUnpricedTier, hasUnpricedUse } from '#money/cost.ts'
import { settledAmounts } from '#money/rate-limit.ts'
import { accountUsage, type Usage } from '#money/usage-counts.ts'
import type { ReservedCall } from '#gateway/call/call-state-types.ts'
import { writeEnd } from '#gateway/relay/write-response-to-client.ts'
import { errorCodes, type CallEnd } from '#gateway/relay/end-of-call-at-provider.ts'
import { timeOf } from '#gateway/call/caller-of-request.ts'
import { callReport } from './charge-report-of-call.ts'
import { continueInBackground } from './continue-in-background.ts'
import { endedCall } from './event-of-ended-call.ts'
import { requestRecord, type RecordedEnd } from './record-of-ended-call.ts'
import { traceText } from './trace-of-call.ts'
import { statusOf, writeFailure } from './write-error-response.ts'

/**
 * Settles or releases the hold of a call, then writes the last byte. Once a client has received the last byte, the
 * charge is in the ledger. If the store does not accept the settle in time, the client receives an error, and the
 * settle continues in the background.
 */
export async function conclude(call: ReservedCall, end: CallEnd): Promise<void> {
  if (end.kind === 'background') return continueInBackground(call, end)
  const { caller, reserved } = call
  const { ledger, clock, log } = call.ports
  const record = requestRecord(call, caller, recordedEnd(call, end))
  const nowMs = timeOf(caller, clock.nowMs())
  const { used } = end
  const attempts = call.failed.length > 0 && { attempts: call.failed }
  let charged: EndedCall['charged'] = null
  if (call.request.isBackground === true) call.background.streamed(call.id)
  try {
    if (used) {
      const { tokenSource, usage } = used
      const result = await ledger.settle({
        callId: call.id,
        nowMs,
        usage,
        tokenSource,
        record,
        ...attempts,
        ...disputed(call, usage),
        ...(call.request.wantsReport && { wantsRemaining: true }),
      })
      reserved.share?.settled(result.costMicros, nowMs)
      reserved.shared?.settled(settledAmounts(usage, result.chargeMicros))
      charged = { usage, tokenSource, result }
      if (call.request.wantsReport) call.report = callReport(result)
    } else {
      await ledger.release({ callId: call.id, nowMs, record, ...attempts })
      reserved.share?.failed(costOfFailedAttempts(call.attempts), nowMs)
      reserved.shared?.released()
    }
  } catch (cause) {
    // The cost is not known until the store commits the settle. Count the worst-case cost toward the limits.
    if (used) {
      reserved.share?.settled(reserved.hold.worstMicros, nowMs)
      reserved.shared?.settled(settledAmounts(used.usage, reserved.hold.worstMicros))
    } else {
      reserved.share?.failed(costOfFailedAttempts(call.attempts), nowMs)
      reserved.shared?.released()
    }
    log.error({ requestId: call.id, err: cause }, 'settle failed: the store did not respond in time')
    writeFailure(call, new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause }))
    return
  }
  call.line.released(caller.key)
  if (end.kind === 'left') call.response.destroy()
  else if (end.kind === 'failed') writeFailure(call, end.failure)
  else writeEnd(call, end.rest(end.used.usage), end.used.usage)
  call.ports.onCallEnded(endedCall(call, caller, record, charged))
}

type FinalEnd = Exclude<CallEnd, { kind: 'background' }>

/**
 * Whether the provider's charge may differ from the computed cost. Possible reasons are a response by another model, a
 * used tool without a rate, a service tier without a factor, and a different reported cost.
 */
function disputed(
  { answeredBy, plan, targets }: ReservedCall,
  usage: Usage,
): Pick<SettleRequest, 'isDisputed'> {
  const { statedCostNanos: statedNanos } = usage
  const { cost } = plan.quote
  const isOtherPrice = answeredBy !== null || hasUnpricedUse(usage, cost) || hasUnpricedTier(usage, cost)
  if (statedNanos === undefined) return isOtherPrice ? { isDisputed: true } : {}
  const costMicros = costOf(accountUsage(usage), cost).amount
  const areCostsDisputed = targets.statedCosts.add(plan.key, { statedNanos, costMicros })
  return { isDisputed: areCostsDisputed || isOtherPrice }
}

function recordedEnd(call: ReservedCall, end: FinalEnd): RecordedEnd {
  return {
    status: end.used ? 'settled' : 'released',
    httpStatus: httpStatusOf(call, end),
    errorCode: end.kind === 'failed' ? end.failure.code : errorCodes[end.kind],
    firstByteMs: call.firstByteMs,
    trace: traceText(call, call.reserved, end),
  }
}

function httpStatusOf(call: ReservedCall, end: FinalEnd): number {
  if (end.kind === 'failed') return statusOf(call, end.failure)
  return end.kind === 'left' && !call.response.headersSent ? 499 : 200
}
