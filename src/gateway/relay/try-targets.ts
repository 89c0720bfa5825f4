import { setTimeout as delay } from 'node:timers/promises'
import type { FailedAttempt } from '#domain/ledger.ts'
import type { Skip } from '#routing/route.ts'
import type { AttemptOutcome } from '#routing/circuit.ts'
import { costOf } from '#money/cost.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { timeOf } from '#gateway/arrive/authenticate.ts'
import { reservedAt } from '#gateway/decide/reserve.ts'
import type { Routed, Way } from '#gateway/decide/route-call.ts'
import type { Plan } from '#gateway/decide/served-name.ts'
import type { CallEnd } from '#gateway/end/call-end.ts'
import type { Call, Reserved } from '#gateway/open-call.ts'
import { targetFailureOf, waitMsOf } from './move-on.ts'
import { probeThosePassedOver } from './probe-targets.ts'
import type { Chances } from './relay-base.ts'
import { relayStream } from './relay-stream.ts'
import { relayWhole } from './relay-whole.ts'
import { Tries, type FailedEnd } from './next-attempt.ts'

/**
 * Calls the targets of a call in their order until one succeeds. Another target is called only while the client has
 * received nothing, so a response never mixes two targets. Before each switch, the hold is updated with the new target
 * (`Ledger.redirect`). If the store cannot save the update, the call ends with its current failure.
 */
export async function tryTargets(call: Call, request: WireRequest, first: Reserved): Promise<CallEnd> {
  const { ports, targets } = call
  targets.budget.callBegan(call.applicationId, ports.clock.nowMs())
  const tries = new Tries(call, first)
  if (call.routed?.order) probeThosePassedOver(call, call.routed.order)
  let reserved = first
  for (;;) {
    const instead = tries.instead()
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const passed = instead && (await redirect(call, request, reserved, instead))
    // If the store cannot save the switch, the stored target is called.
    if (instead && passed) {
      call.routed &&= withoutBarred(call.routed, reserved.plan, tries.isFull)
      reserved = passed
      call.reserved = passed
      tries.begin(instead)
      continue
    }
    if (tries.isFull) return tries.noneFree()
    // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
    const end = await attempt(call, request, reserved, tries.chances(request, reserved))
    if (end.kind !== 'failed' || end.used !== null) return end
    const next = tries.after(end)
    tries.noteStop()
    if (next === null) {
      const last = tries.lastFailure(end)
      if (call.failed.length > 0 || end.spent !== null)
        call.failed.push(failedAttempt(call, end, reserved.plan))
      return last
    }
    tries.failed(end)
    call.failed.push(failedAttempt(call, end, reserved.plan))
    // oxlint-disable-next-line no-await-in-loop -- as above
    if (next.delayMs > 0 && !(await isStillThere(call, next.delayMs))) return { kind: 'left', used: null }
    // oxlint-disable-next-line no-await-in-loop -- as above
    const redirected = await redirect(call, request, reserved, next.way)
    if (redirected === null) return end
    reserved = redirected
    call.reserved = redirected
  }
}

/** Marks the target that was passed over as skipped, with the reason. */
function withoutBarred(routed: Routed, plan: Plan, isFull: boolean): Routed {
  const skip: Skip = isFull
    ? { code: 'max_in_flight', reason: 'other calls have taken the last place since the call was planned' }
    : {
        code: 'circuit_open',
        reason: 'its circuit has opened since the call was planned, or another call is trying it',
      }
  const order = routed.order?.map((target) => (target.leaf.plan === plan ? { ...target, skip } : target))
  return { ...routed, order: order ?? null }
}

async function attempt(
  call: Call,
  request: WireRequest,
  reserved: Reserved,
  chances: Chances,
): Promise<CallEnd> {
  const { health } = call.targets
  const { clock } = call.ports
  const { key } = reserved.plan
  health.begin(key, clock.nowMs())
  const end = await (request.isStream ? relayStream : relayWhole)(call, request, reserved, chances)
  health.end(key, outcomeOf(call, end), clock.nowMs())
  return end
}

function outcomeOf({ attempts, pace }: Call, end: CallEnd): AttemptOutcome {
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
  call: Call,
  { failure, spent }: FailedEnd,
  { quote, target }: Reserved['plan'],
): FailedAttempt {
  const last = call.attempts.at(-1)
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

/** Waits. Returns false if the client disconnected before a provider was called. */
async function isStillThere(call: Call, ms: number): Promise<boolean> {
  const { ports, response, startedMonotonicMs } = call
  const gone = new AbortController()
  const onClose = (): void => gone.abort()
  response.once('close', onClose)
  await delay(ms, null, { signal: gone.signal }).catch(() => {})
  response.off('close', onClose)
  if (gone.signal.aborted) call.leftAtMs = Math.round(ports.clock.monotonicMs() - startedMonotonicMs)
  return !gone.signal.aborted
}

/** Returns null if the store cannot save the update. */
async function redirect(
  call: Call,
  request: WireRequest,
  reserved: Reserved,
  way: Way,
): Promise<Reserved | null> {
  const { caller, failed, id, ports } = call
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
  return reservedAt(call, request, { ...reserved, hold }, way)
}
