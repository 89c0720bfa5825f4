import { Failure } from '#domain/errors.ts'
import type { ReservedCall } from '#gateway/call/call-state-types.ts'
import { backgroundCall } from '#gateway/relay/background-call-to-store.ts'
import type { CallEnd } from '#gateway/relay/end-of-call-at-provider.ts'
import { writeEnd } from '#gateway/relay/write-response-to-client.ts'
import { backgroundTrace } from './trace-of-background-call.ts'
import { writeFailure } from './write-error-response.ts'

/**
 * The client gets the response ID only after the ID is stored with the hold. If this process dies, another process can
 * then settle the call.
 */
export async function continueInBackground(
  call: ReservedCall,
  { responseId, rest }: Extract<CallEnd, { kind: 'background' }>,
): Promise<void> {
  const { attempts, background, caller, id, line, ports, reserved, response } = call
  const { share, shared } = reserved
  const continuing = backgroundCall(call, responseId, backgroundTrace(call))
  try {
    await background.begin(continuing, call.stream)
  } catch (cause) {
    ports.log.error(
      { requestId: id, err: cause },
      'storing a response ID failed: the store did not respond in time',
    )
    writeFailure(call, new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause }))
    return
  } finally {
    background.watch(continuing, { attempts, key: caller.key, line, share, shared })
  }
  if (rest === null || response.destroyed) response.destroy()
  else writeEnd(call, rest(), null)
}
