import { Failure } from '#domain/errors.ts'
import type { RequestRecord } from '#domain/ledger.ts'
import type { Call } from '#gateway/open-call.ts'
import type { Outcome } from './call-end.ts'
import { statusOf, writeEnd, writeFailure } from '#gateway/relay/response-head.ts'
import type { Reserved } from '#gateway/open-call.ts'
import { traceText } from './trace.ts'

/**
 * The end of a call that had a hold: settle or release, and only then the last byte. Whoever saw the
 * end of an answer finds it on the ledger; a client whose settle the store has not taken in time is
 * told so instead, and the settle goes on without it.
 */
export async function conclude(call: Call, reserved: Reserved, outcome: Outcome): Promise<void> {
  const { ledger, clock, log } = call.ports
  const record = recordOf(call, reserved, outcome)
  const nowMs = clock.nowMs()
  const { used } = outcome
  try {
    await (used
      ? ledger.settle({ callId: call.id, nowMs, usage: used.usage, tokenSource: used.tokenSource, record })
      : ledger.release({ callId: call.id, nowMs, record }))
  } catch (cause) {
    log.error({ requestId: call.id, err: cause }, 'the store did not take the end of a call in time')
    writeFailure(call, new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause }))
    return
  }
  if (call.caller) call.line.released(call.caller.key)
  if (outcome.kind === 'left') call.response.destroy()
  else if (outcome.kind === 'failed') writeFailure(call, outcome.failure)
  else writeEnd(call, outcome.rest)
}

function recordOf(call: Call, reserved: Reserved, outcome: Outcome): RequestRecord {
  const { clock } = call.ports
  const failure = outcome.kind === 'failed' ? outcome.failure : null
  return {
    callId: call.id,
    applicationId: call.applicationId,
    mode: call.caller?.key.mode ?? 'live',
    endUserId: call.caller?.key.endUserId ?? null,
    keyId: call.caller?.key.keyId ?? null,
    alias: call.request?.model ?? null,
    wire: call.route.wire,
    streamed: call.request?.isStream ?? false,
    status: outcome.used ? 'settled' : 'released',
    httpStatus: httpStatusOf(call, outcome),
    errorCode:
      outcome.kind === 'cut'
        ? 'spend_limit_exceeded'
        : outcome.kind === 'left'
          ? 'client_left'
          : (failure?.code ?? null),
    atMs: call.startedAtMs,
    latencyMs: Math.round(clock.monotonicMs() - call.startedMonotonicMs),
    firstByteMs: call.firstByteMs,
    trace: traceText(call, reserved, outcome),
  }
}

function httpStatusOf(call: Call, outcome: Outcome): number {
  if (outcome.kind === 'failed') return statusOf(call, outcome.failure)
  return outcome.kind === 'left' && !call.response.headersSent ? 499 : 200
}
