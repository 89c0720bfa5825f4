import { Failure } from '#domain/errors.ts'
import { StoreUnavailable } from '#domain/ledger.ts'
import type { Call } from '#gateway/open-call.ts'
import { writeFailure } from '#gateway/relay/response-head.ts'
import { ClientGone } from '#gateway/arrive/receive.ts'
import { traceText } from './trace.ts'

/** A store that is slow must not keep a refusal back for longer than this. */
const recordWaitMs = 500

/**
 * The answer to a call that never reached a provider. An expected failure is recorded and then written, so that
 * whoever was told its request id can ask why (on any process); a record rides with the commits of other calls. Any
 * other is a fault of ours: the caller gets `internal` and a request id, the log gets the cause. A hold
 * that was taken by then stays for recovery, since no one can say how far the call came.
 */
export async function refuse(call: Call, cause: unknown): Promise<void> {
  if (cause instanceof ClientGone) {
    call.response.destroy()
    return
  }
  const failure = failureOf(cause)
  if (failure.code === 'internal') call.ports.log.error({ requestId: call.id, err: cause }, 'a call broke')
  // Strangers are not recorded: whoever has no valid key must not be able to fill the store.
  if (call.caller) await within(recordWaitMs, recorded(call, call.caller, failure))
  writeFailure(call, failure)
}

function recorded(call: Call, caller: NonNullable<Call['caller']>, failure: Failure): Promise<void> {
  return call.ports.ledger.record({
    callId: call.id,
    applicationId: call.applicationId,
    mode: caller.key.mode,
    endUserId: caller.key.endUserId,
    keyId: caller.key.keyId,
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

function within(ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    void work.finally(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** A store that is away before anything is held: who calls and what for could not be read. */
function failureOf(cause: unknown): Failure {
  if (cause instanceof Failure) return cause
  return cause instanceof StoreUnavailable
    ? new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause })
    : new Failure('internal', {}, { cause })
}
