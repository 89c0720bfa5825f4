import type { ApplicationConfig } from '#domain/application-config.ts'
import type { BackgroundCall } from '#domain/background/background-holds-interface.ts'
import type { EndedCall, RequestRecord, SettleResult } from '#domain/ledger-interface.ts'
import { costOfFailedAttempts } from '#domain/calls/cost-of-failed-attempts.ts'
import { timeIn } from '#domain/test-clock.ts'
import { settledAmounts } from '#money/rate-limit.ts'
import type { BackgroundOrigin } from '#gateway/call/background-watch-interface.ts'
import type { Configuration } from '#gateway/call/configuration-cache.ts'
import type { GatewayPorts } from '#gateway/call/dependencies-of-gateway.ts'
import { endedTrace, withCostOfLast } from '#gateway/end/trace-of-background-call.ts'
import type { EndedResponse } from './decide-charge-for-ended-response.ts'

interface Ended {
  readonly call: BackgroundCall
  readonly ended: EndedResponse
  readonly wire: string
  /** Whether the hold is still stored. If not, another process may have released the call. */
  readonly isOpen: () => boolean | Promise<boolean>
}

interface Settled {
  /** The failed attempt, whose cost the application pays. Null if the end user is charged. */
  readonly failed: EndedResponse['attempt']
  readonly config: ApplicationConfig | null
  readonly record: RequestRecord
  readonly charged: EndedCall['charged']
  readonly nowMs: number
}

/** Safe to repeat, in any process. */
export async function settleEnded(
  { configuration, ports }: { readonly configuration: Configuration; readonly ports: GatewayPorts },
  { call, ended, isOpen, wire }: Ended,
): Promise<Settled> {
  const { applicationId, callId, mode } = call
  const { clock, ledger } = ports
  const config = await configuration.config(applicationId)
  const nowMs = config === null ? clock.nowMs() : timeIn(mode, config, clock.nowMs())
  const record = recordOf(call, ended, wire, nowMs)
  const { attempt, isDisputed, used } = ended
  let result: SettleResult | null = null
  if (used === null) {
    await ledger.release({ callId, nowMs, record, ...(attempt && { lastAttempt: attempt }) })
  } else {
    try {
      result = await ledger.settle({ callId, nowMs, ...used, record, ...(isDisputed && { isDisputed }) })
    } catch (cause) {
      if (await isOpen()) throw cause
    }
  }
  if (used === null || result === null)
    return { config, record: { ...record, status: 'released' }, charged: null, failed: attempt, nowMs }
  return { config, record, charged: { ...used, result }, failed: null, nowMs }
}

/**
 * In this process's limit counts, the charge of the call replaces its hold. Call this once for each call, in the
 * process that watches the call.
 * @param origin null if another process sent the request
 */
export function reportEnd(
  ports: GatewayPorts,
  { charged, config, failed, nowMs, record }: Settled,
  origin: BackgroundOrigin | null,
): void {
  const attempts = withCostOfLast(origin?.attempts ?? [], failed)
  if (origin !== null) countEnd({ ...origin, attempts }, charged, nowMs)
  if (config === null) return
  const { organizationId, slug } = config
  ports.onCallEnded({
    organizationId,
    applicationSlug: slug,
    record,
    charged,
    startedAtMs: record.atMs,
    readAtMs: null,
    endedAtMs: record.latencyMs,
    attempts,
    traceparent: null,
  })
}

function countEnd(
  { attempts, key, line, share, shared }: BackgroundOrigin,
  charged: EndedCall['charged'],
  nowMs: number,
): void {
  if (charged === null) {
    share?.failed(costOfFailedAttempts(attempts), nowMs)
    shared?.released()
  } else {
    share?.settled(charged.result.costMicros, nowMs)
    shared?.settled(settledAmounts(charged.usage, charged.result.chargeMicros))
  }
  line.released(key)
}

function recordOf(
  { applicationId, bound, callId, endUserId, keyId, mode, reservedAtMs, response, target }: BackgroundCall,
  ended: EndedResponse,
  wire: string,
  nowMs: number,
): RequestRecord {
  return {
    callId,
    applicationId,
    mode,
    endUserId,
    keyId,
    alias: bound.alias,
    tags: bound.tags ?? null,
    ...(bound.payerId !== undefined && { payerId: bound.payerId }),
    target,
    wire,
    streamed: response.isStreamed,
    status: ended.used === null ? 'released' : 'settled',
    httpStatus: 200,
    errorCode: ended.errorCode,
    atMs: reservedAtMs,
    latencyMs: Math.max(0, nowMs - reservedAtMs),
    firstByteMs: response.firstByteMs,
    trace: endedTrace(response.trace, ended),
  }
}
