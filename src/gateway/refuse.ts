import { Failure } from '#domain/errors.ts'
import { StoreUnavailable } from '#domain/ledger.ts'
import type { Call } from './open-call.ts'
import { writeFailure } from './answer.ts'
import { ClientGone } from './receive.ts'
import { traceText } from './trace.ts'

/**
 * The answer to a call that never reached a provider. An expected failure is written and recorded; any
 * other is a fault of ours: the caller gets `internal` and a request id, the log gets the cause. A hold
 * that was taken by then stays for recovery, since no one can say how far the call came.
 */
export function refuse(call: Call, cause: unknown): void {
  if (cause instanceof ClientGone) {
    call.response.destroy()
    return
  }
  const failure = failureOf(cause)
  if (failure.code === 'internal') call.ports.log.error({ requestId: call.id, err: cause }, 'a call broke')
  writeFailure(call, failure)
  // Strangers are not recorded: whoever has no valid key must not be able to fill the store.
  if (!call.caller) return
  call.ports.ledger.record({
    callId: call.id,
    applicationId: call.applicationId,
    mode: call.caller.key.mode,
    endUserId: call.caller.key.endUserId,
    keyId: call.caller.key.keyId,
    alias: call.request?.model ?? null,
    wire: call.route.wire,
    streamed: call.request?.isStream ?? false,
    status: 'refused',
    httpStatus: failure.status,
    errorCode: failure.code,
    atMs: call.startedAtMs,
    latencyMs: Math.round(call.ports.clock.monotonicMs() - call.startedMonotonicMs),
    firstByteMs: null,
    trace: traceText(call, null, null, failure),
  })
}

/** A store that is away before anything is held: who calls and what for could not be read. */
function failureOf(cause: unknown): Failure {
  if (cause instanceof Failure) return cause
  return cause instanceof StoreUnavailable
    ? new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause })
    : new Failure('internal', {}, { cause })
}
