import type { RequestRecord } from '#domain/ledger-interface.ts'
import type { Call } from '#gateway/call/call-state-types.ts'
import { timeOf, type Caller } from '#gateway/call/caller-of-request.ts'

export type RecordedEnd = Pick<RequestRecord, 'status' | 'httpStatus' | 'errorCode' | 'firstByteMs' | 'trace'>

/** Also for a call that was rejected before it was sent. */
export function requestRecord(call: Call, caller: Caller, end: RecordedEnd): RequestRecord {
  const { key } = caller
  return {
    callId: call.id,
    applicationId: call.applicationId,
    mode: key.mode,
    endUserId: key.endUserId,
    keyId: key.keyId,
    alias: call.request?.model ?? null,
    tags: call.tags.length === 0 ? null : call.tags,
    target: call.plan?.target ?? null,
    wire: call.request?.wire ?? call.route.wire,
    streamed: call.request?.isStream ?? false,
    status: end.status,
    httpStatus: end.httpStatus,
    errorCode: end.errorCode,
    atMs: timeOf(caller, call.startedAtMs),
    latencyMs: Math.round(call.ports.clock.monotonicMs() - call.startedMonotonicMs),
    firstByteMs: end.firstByteMs,
    trace: end.trace,
    ...(key.payerId !== undefined && { payerId: key.payerId }),
  }
}
