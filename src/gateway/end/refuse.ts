import { Failure } from '#domain/errors.ts'
import { StoreUnavailable } from '#domain/ledger.ts'
import type { Arrival } from '#gateway/arrive/arrival.ts'
import { ClientGone } from '#gateway/arrive/client-gone.ts'
import type { Call } from '#gateway/open-call.ts'
import { endedCall } from './ended-call.ts'
import { requestRecord } from './request-record.ts'
import { traceText } from './call-trace.ts'
import { writeFailure } from './write-failure.ts'

/** The longest that a slow store may delay a refusal. */
const recordWaitMs = 500

/**
 * The answer to a call that never reached a provider. An expected failure is recorded and then written, so that
 * a client can ask why by its request id (on any process); a record shares the commits of other calls. A hold taken
 * by then stays for recovery, since it is unknown how far the call came.
 */
export async function refuse(call: Call, cause: unknown): Promise<void> {
  if (cause instanceof ClientGone) {
    call.response.destroy()
    return
  }
  const failure = failureOf(call, cause)
  // Calls without a valid key are not recorded: otherwise anyone could fill the store.
  if (call.caller) {
    const record = requestRecord(call, call.caller, {
      status: 'refused',
      httpStatus: failure.status,
      errorCode: failure.code,
      firstByteMs: null,
      trace: traceText(call, null, null, failure),
    })
    await within(recordWaitMs, call.ports.ledger.record(record))
    writeFailure(call, failure)
    call.ports.onCallEnded(endedCall(call, call.caller, record, null))
  } else writeFailure(call, failure)
}

/** An unexpected failure is the gateway's fault: the client gets `internal` and a request id, the log the cause. */
export function failureOf({ id, ports }: Arrival, cause: unknown): Failure {
  if (cause instanceof Failure) return cause
  // Before a hold: caller and configuration could not be read.
  if (cause instanceof StoreUnavailable)
    return new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause })
  ports.log.error({ requestId: id, err: cause }, 'a call failed on an unexpected error')
  return new Failure('internal', {}, { cause })
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
