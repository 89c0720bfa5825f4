import { Failure } from '#domain/errors.ts'
import type { ParsedCall, ReservedCall } from '#gateway/call/call-state-types.ts'
import { timeOf } from '#gateway/call/caller-of-request.ts'
import { mapInTurns } from '#gateway/call/map-list-in-turns.ts'
import { isHeld } from '#gateway/call/calls-waiting-for-money.ts'
import { reserveNow } from '#gateway/decide/reserve-or-wait-for-held-money.ts'
import { traceText } from '#gateway/end/trace-of-call.ts'
import { endedCall } from '#gateway/end/event-of-ended-call.ts'
import { failureOf, refusedRecord } from '#gateway/end/reject-call.ts'
import { requestRecord } from '#gateway/end/record-of-ended-call.ts'
import { refusalStatus } from '#gateway/end/write-error-response.ts'
import { failureIn, placeOf, wireOfCall } from './name-requests-of-batch.ts'

/**
 * If one request is rejected, no request stays reserved.
 * @throws Failure
 */
export async function reservedCalls(calls: readonly ParsedCall[]): Promise<readonly ReservedCall[]> {
  const reserved: ReservedCall[] = []
  const failed: { readonly at: number; readonly call: ParsedCall; readonly cause: unknown }[] = []
  await mapInTurns(calls, async (call, at) => {
    if (failed.length > 0) return
    try {
      reserved.push(await reserveNow(call))
    } catch (cause) {
      failed.push({ at, call, cause })
    }
  })
  const [first] = failed
  // A call is the same object in all its states, so `calls` now contains reserved calls.
  if (first === undefined) return calls as readonly ReservedCall[]
  const { at, call, cause } = first
  const failure = failureOf(call, cause)
  const told = isHeld(failure)
    ? withoutOwnHolds(failure, reserved)
    : failureIn(placeOf(wireOfCall(call), at), failure)
  await recordRefused(call, told)
  await released(reserved, told)
  throw told
}

/**
 * If other requests of the same batch hold the missing money, waiting does not help. The failure then reports that the
 * balance or the limit is too low for the batch.
 */
function withoutOwnHolds(failure: Failure, own: readonly ReservedCall[]): Failure {
  const { held, limitSource, requested, retryAfterSeconds: _, ...details } = failure.details
  const ownMicros = own.reduce((sum, { reserved }) => sum + reserved.hold.worstMicros, 0n)
  const heldMicros = BigInt(typeof held === 'string' ? held : 0)
  if (heldMicros > ownMicros) return failure
  const requestedMicros = BigInt(typeof requested === 'string' ? requested : 0) + ownMicros
  return new Failure(limitSource === 'balance' ? 'insufficient_credit' : 'spend_limit_exceeded', {
    ...details,
    limitSource: limitSource ?? null,
    held: '0',
    requested: String(requestedMicros),
  })
}

async function recordRefused(call: ParsedCall, failure: Failure): Promise<void> {
  const record = refusedRecord(call, call.caller, failure)
  await call.ports.ledger.record(record)
  call.ports.onCallEnded(endedCall(call, call.caller, record, null))
}

export async function released(calls: readonly ReservedCall[], failure: Failure): Promise<void> {
  await mapInTurns(calls, async (call) => {
    const { caller, line, ports, reserved } = call
    const end = { kind: 'failed', failure, used: null, spent: null } as const
    const record = requestRecord(call, caller, {
      status: 'released',
      httpStatus: refusalStatus(call, failure),
      errorCode: failure.code,
      firstByteMs: null,
      trace: traceText(call, reserved, end),
    })
    try {
      await ports.ledger.release({ callId: call.id, nowMs: timeOf(caller, ports.clock.nowMs()), record })
    } catch (err) {
      // The ledger retries the release later.
      ports.log.error({ requestId: call.id, err }, 'release failed: the store did not respond in time')
    }
    reserved.share?.released()
    reserved.shared?.released()
    line.released(caller.key)
    ports.onCallEnded(endedCall(call, caller, record, null))
  })
}
