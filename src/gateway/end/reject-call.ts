import { Failure } from '#domain/errors.ts'
import { StoreUnavailable, type RequestRecord } from '#domain/ledger-interface.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import { ClientDisconnected } from '#gateway/call/client-disconnected-error.ts'
import type { Call } from '#gateway/call/call-state-types.ts'
import type { Caller } from '#gateway/call/caller-of-request.ts'
import { endedCall } from './event-of-ended-call.ts'
import { requestRecord } from './record-of-ended-call.ts'
import { traceText } from './trace-of-call.ts'
import { refusalStatus, writeFailure } from './write-error-response.ts'

/** Maximum time that a slow store may delay a rejection. */
const recordWaitMs = 500

/**
 * Records an expected failure before it is sent to the client, so that any process can return the reason for the
 * request ID. If the call has a hold, the hold is left to recovery, because the call may already have been sent.
 */
export async function refuse(call: Call, cause: unknown): Promise<void> {
  if (cause instanceof ClientDisconnected) {
    call.response.destroy()
    return
  }
  const failure = failureOf(call, cause)
  // Anyone can send calls without a valid key, so recording them would fill the store.
  if (call.caller) {
    const record = refusedRecord(call, call.caller, failure)
    await within(recordWaitMs, call.ports.ledger.record(record))
    writeFailure(call, failure)
    call.ports.onCallEnded(endedCall(call, call.caller, record, null))
  } else writeFailure(call, failure)
}

export function refusedRecord(call: Call, caller: Caller, failure: Failure): RequestRecord {
  return requestRecord(call, caller, {
    status: 'refused',
    httpStatus: refusalStatus(call, failure),
    errorCode: failure.code,
    firstByteMs: null,
    trace: traceText(call, null, null, failure),
  })
}

/** The client gets only a request ID. The log gets the cause. */
export function failureOf({ id, ports }: Arrival, cause: unknown): Failure {
  if (cause instanceof Failure) return cause
  // The store did not return the caller or the configuration, so no hold exists yet.
  if (cause instanceof StoreUnavailable)
    return new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause })
  ports.log.error({ requestId: id, err: cause }, 'request failed: unexpected error')
  return new Failure('internal', {}, { cause })
}

function within(ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    void work.then(end, end)
  })
}
