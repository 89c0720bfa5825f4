import { Failure } from '#domain/errors.ts'
import { StoreUnavailable } from '#domain/ledger.ts'
import type { Arrival } from '#gateway/arrive/arrival.ts'
import { ClientGone } from '#gateway/arrive/client-gone.ts'
import type { Call } from '#gateway/open-call.ts'
import { requestRecord } from './request-record.ts'
import { traceText } from './trace.ts'
import { writeFailure } from './write-failure.ts'

/** A store that is slow must not keep a refusal back for longer than this. */
const recordWaitMs = 500

/**
 * The answer to a call that never reached a provider. An expected failure is recorded and then written, so that
 * a client that was told its request id can ask why (on any process); a record rides with the commits of other
 * calls. A hold that was taken by then stays for recovery, since no one can say how far the call came.
 */
export async function refuse(call: Call, cause: unknown): Promise<void> {
  if (cause instanceof ClientGone) {
    call.response.destroy()
    return
  }
  const failure = failureOf(call, cause)
  // Strangers are not recorded: without a valid key no one must be able to fill the store.
  if (call.caller) {
    const record = requestRecord(call, call.caller, {
      status: 'refused',
      httpStatus: failure.status,
      errorCode: failure.code,
      firstByteMs: null,
      trace: traceText(call, null, null, failure),
    })
    await within(recordWaitMs, call.ports.ledger.record(record))
  }
  writeFailure(call, failure)
}

/** An unexpected failure is a fault of ours: the client gets `internal` and a request id, the log gets the cause. */
export function failureOf({ id, ports }: Arrival, cause: unknown): Failure {
  if (cause instanceof Failure) return cause
  // Before anything is held: caller and configuration could not be read.
  if (cause instanceof StoreUnavailable)
    return new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause })
  ports.log.error({ requestId: id, err: cause }, 'a call broke')
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
