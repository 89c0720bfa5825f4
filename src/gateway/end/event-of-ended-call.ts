import type { EndedCall, RequestRecord } from '#domain/ledger-interface.ts'
import type { Call } from '#gateway/call/call-state-types.ts'
import type { Caller } from '#gateway/call/caller-of-request.ts'

export function endedCall(
  call: Call,
  { config }: Caller,
  record: RequestRecord,
  charged: EndedCall['charged'],
): EndedCall {
  const { attempts, ports, readMonotonicMs, startedAtMs, startedMonotonicMs } = call
  const { traceparent } = call.response.req.headers
  return {
    organizationId: config.organizationId,
    applicationSlug: config.slug,
    record,
    charged,
    startedAtMs,
    readAtMs: readMonotonicMs === null ? null : readMonotonicMs - startedMonotonicMs,
    endedAtMs: ports.clock.monotonicMs() - startedMonotonicMs,
    attempts,
    traceparent: typeof traceparent === 'string' ? traceparent : null,
  }
}
