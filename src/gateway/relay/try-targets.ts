import { setTimeout as delay } from 'node:timers/promises'
import type { FailedAttempt } from '#domain/ledger-interface.ts'
import type { Skip } from '#routing/route-tree-types.ts'
import type { AttemptOutcome } from '#routing/circuit-breaker.ts'
import { costOf } from '#money/cost.ts'
import { reservedAt } from '#gateway/decide/check-and-reserve.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import type { Reserved, ReservedCall } from '#gateway/call/call-state-types.ts'
import { timeOf } from '#gateway/call/caller-of-request.ts'
import type { Routed, Way } from '#gateway/call/routed-target-types.ts'
import type { CallEnd } from './end-of-call-at-provider.ts'
import { targetFailureOf, waitMsOf } from './classify-provider-failure.ts'
import { probeThosePassedOver } from './probe-skipped-targets.ts'
import { relayStream } from './relay-stream.ts'
import { relayNonStreaming } from './relay-non-streaming.ts'
import { Tries, type FailedEnd } from './choose-next-attempt.ts'

/**
 * Another target is tried only if the client has received nothing, so no response has parts from two targets. Before
 * another target is called, the hold must name it (`Ledger.redirect`). If the store cannot save the change, the call
 * ends with its current failure.
 */
export async function tryTargets(call: ReservedCall): Promise<CallEnd> {
  const { ports, targets } = call
  targets.budget.callBegan(call.applicationId, ports.clock.nowMs())
  const tries = new Tries(call)
  const relay = call.request.isStream ? relayStream : relayNonStreaming
  if (call.routed.order) probeThosePassedOver(call, call.routed.order)
  for (;;) {
    const instead = tries.instead()
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const passed = instead && (await redirected(call, instead))
    // If the store cannot save the new target, call the target that the hold names.
    if (instead && passed) {
      call.routed = withoutBarred(call.routed, call.plan, tries.isFull)
      moveTo(call, passed)
      tries.begin(instead)
      continue
    }
    if (tries.isFull) return tries.noneFree()
    const chances = tries.chances()
    const { plan } = call
    const begun = targets.health.begin(plan, ports.clock.nowMs())
    // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
    const end = await relay(call, chances)
    targets.health.end(begun, outcomeOf(call, end), ports.clock.nowMs())
    if (end.kind !== 'failed' || end.used !== null) return end
    const next = tries.after(end)
    tries.noteStop()
    if (next === null) {
      const last = tries.lastFailure(end)
      if (call.failed.length > 0 || end.spent !== null) call.failed.push(failedAttempt(call, end))
      return last
    }
    tries.failed(end)
    call.failed.push(failedAttempt(call, end))
    // oxlint-disable-next-line no-await-in-loop -- as above
    if (next.delayMs > 0 && !(await isStillThere(call, next.delayMs))) return { kind: 'left', used: null }
    // oxlint-disable-next-line no-await-in-loop -- as above
    const moved = await redirected(call, next.way)
    if (moved === null) return end
    moveTo(call, moved)
  }
}

/** Marks the target as skipped, because another target is called in its place. */
function withoutBarred(routed: Routed, plan: Plan, isFull: boolean): Routed {
  const skip: Skip = isFull
    ? {
        code: 'max_in_flight',
        reason: 'the maximum of requests in flight was reached after the route was planned',
      }
    : {
        code: 'circuit_open',
        reason: 'its circuit opened after the route was planned, or another request is testing it',
      }
  const order = routed.order?.map((target) => (target.leaf.plan === plan ? { ...target, skip } : target))
  return { ...routed, order: order ?? null }
}

function outcomeOf({ attempts, pace }: ReservedCall, end: CallEnd): AttemptOutcome {
  if (end.kind === 'left') return { kind: 'neutral' }
  if (end.kind === 'failed') {
    const failure = targetFailureOf(end.failure)
    return failure === null
      ? { kind: 'neutral' }
      : { kind: 'failed', failure, retryAfterMs: waitMsOf(end.failure) }
  }
  const sinceMs = attempts.at(-1)?.atMs ?? 0
  const firstTokenMs = pace?.firstTokenMs ?? null
  return { kind: 'ok', firstTokenMs: firstTokenMs === null ? null : firstTokenMs - sinceMs }
}

function failedAttempt(
  { attempts, plan: { quote, target } }: ReservedCall,
  { failure, spent }: FailedEnd,
): FailedAttempt {
  const last = attempts.at(-1)
  if (last !== undefined) last.costMicros = String(spent === null ? 0n : costOf(spent, quote.cost).amount)
  return {
    target,
    status: last?.status ?? null,
    failure: last?.failure ?? null,
    code: failure.code,
    atMs: last?.atMs ?? 0,
    durationMs: last?.durationMs ?? 0,
    firstByteMs: last?.firstByteMs ?? null,
    usage: spent,
    quote,
  }
}

async function isStillThere(call: ReservedCall, ms: number): Promise<boolean> {
  const { ports, response, startedMonotonicMs } = call
  const gone = new AbortController()
  const onClose = (): void => gone.abort()
  response.once('close', onClose)
  await delay(ms, null, { signal: gone.signal }).catch(() => {})
  response.off('close', onClose)
  if (gone.signal.aborted) call.leftAtMs = Math.round(ports.clock.monotonicMs() - startedMonotonicMs)
  return !gone.signal.aborted
}

/** Returns null if the store cannot save the change. */
async function redirected(call: ReservedCall, way: Way): Promise<Reserved | null> {
  const { caller, failed, id, ports, request, reserved } = call
  const { quote, target } = way.plan
  const { outputTokens } = reserved.reservation.bound
  const nowMs = timeOf(caller, ports.clock.nowMs())
  try {
    await ports.ledger.redirect({ callId: id, nowMs, quote, target, outputTokens, attempts: [...failed] })
  } catch (cause) {
    ports.log.warn({ requestId: id, err: cause }, 'trying the next target failed: the store is unavailable')
    return null
  }
  const hold = { ...reserved.hold, quote, bound: { ...reserved.hold.bound, outputTokens } }
  return reservedAt(request, { ...reserved, hold }, way)
}

function moveTo(call: ReservedCall, reserved: Reserved): void {
  call.reserved = reserved
  call.plan = reserved.plan
}
