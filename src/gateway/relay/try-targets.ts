import { setTimeout as delay } from 'node:timers/promises'
import { Failure } from '#domain/errors.ts'
import type { FailedAttempt } from '#domain/ledger.ts'
import { retryDelayMs } from '#routing/retry-delay.ts'
import type { Skip } from '#routing/route.ts'
import { mayBegin, type AttemptOutcome } from '#routing/circuit.ts'
import { costOf } from '#money/cost.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { timeOf } from '#gateway/arrive/authenticate.ts'
import { reservedAt } from '#gateway/decide/reserve.ts'
import type { Routed, Way } from '#gateway/decide/route-call.ts'
import type { Plan } from '#gateway/decide/served-name.ts'
import type { CallEnd } from '#gateway/end/call-end.ts'
import type { Call, Reserved } from '#gateway/open-call.ts'
import { mayMoveOn, mostHelpful, targetFailureOf, waitMsOf } from './move-on.ts'
import { relayStream } from './relay-stream.ts'
import { relayWhole } from './relay-whole.ts'

type FailedEnd = Extract<CallEnd, { kind: 'failed' }>

/** What is tried next, and after which wait. */
interface Next {
  readonly way: Way
  readonly delayMs: number
}

/**
 * Calls the targets of a call in their order until one answers. Another one is called only while the client has seen
 * nothing of an answer: there is never a second voice in it. Before that the hold says who is called
 * (`Ledger.redirect`); if the store cannot take it, the call ends with the failure that it has.
 */
export async function tryTargets(call: Call, request: WireRequest, first: Reserved): Promise<CallEnd> {
  const { ports, targets } = call
  targets.budget.callBegan(call.applicationId, ports.clock.nowMs())
  const tries = new Tries(call, first)
  let reserved = first
  for (;;) {
    const instead = tries.instead()
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const passed = instead && (await redirect(call, request, reserved, instead))
    // Where the store does not take it, the one that it knows is called.
    if (instead && passed) {
      call.routed &&= withoutBarred(call.routed, reserved.plan, tries.isFull)
      reserved = passed
      call.reserved = passed
      tries.begin(instead)
      continue
    }
    if (tries.isFull) return tries.noneFree()
    // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
    const end = await attempt(call, request, reserved, tries.hasAnother)
    if (end.kind !== 'failed' || end.used !== null) return end
    const next = tries.after(end)
    if (next === null) return tries.lastFailure(end, reserved)
    tries.failed(end, reserved)
    // oxlint-disable-next-line no-await-in-loop -- as above
    if (next.delayMs > 0 && !(await isStillThere(call, next.delayMs))) return { kind: 'left', used: null }
    // oxlint-disable-next-line no-await-in-loop -- as above
    const redirected = await redirect(call, request, reserved, next.way)
    if (redirected === null) return end
    reserved = redirected
    call.reserved = redirected
  }
}

/** With the reason for the target that was passed over. */
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
  hasAnother: boolean,
): Promise<CallEnd> {
  const { health } = call.targets
  const { clock } = call.ports
  const { key } = reserved.plan
  health.begin(key, clock.nowMs())
  const end = await (request.isStream ? relayStream : relayWhole)(call, request, reserved, hasAnother)
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

/** The attempts of one call: how many there may be, and which comes next. */
class Tries {
  readonly #call: Call
  readonly #ways: readonly Way[]
  readonly #untilMs: number
  readonly #failures: FailedEnd['failure'][] = []
  #made = 1
  #at = 0
  #retriesMade = 0

  constructor(call: Call, { ways }: Reserved) {
    this.#call = call
    this.#ways = ways
    this.#untilMs = call.ports.clock.monotonicMs() + this.#rules.withinMs
  }

  /** Whether something may come after the attempt that is made now: its answer then begins with its first text. */
  get hasAnother(): boolean {
    const { attemptsMax, retriesPerTarget } = this.#rules
    const isMore = this.#at + 1 < this.#ways.length || this.#retriesMade < retriesPerTarget
    return isMore && this.#made < attemptsMax
  }

  /** As many calls as may be are in flight at the one whose turn it is: others have begun since it was planned. */
  get isFull(): boolean {
    const { ports, targets } = this.#call
    const nowMs = ports.clock.nowMs()
    const inFlight = (keys: readonly string[]): number =>
      keys.reduce((sum, key) => sum + targets.health.of(key, nowMs).inFlight, 0)
    return this.#ways[this.#at]?.plan.bounds.some(({ keys, max }) => inFlight(keys) >= max) ?? false
  }

  /** Nobody is left who has room; what came before tells the client more, if anything did. */
  noneFree(): FailedEnd {
    const { routed } = this.#call
    const details = { model: routed?.name.name ?? '', retryAfterSeconds: 1 }
    const failure = new Failure('targets_busy', details)
    const told = this.#failures.length === 0 ? failure : mostHelpful(this.#failures)
    return { kind: 'failed', failure: told, used: null, spent: null }
  }

  /**
   * The one to call instead, where the one whose turn it is has no room any more, or its circuit has opened or another
   * call tries it, since both were planned; null: it may be called, or no other one is left. It is asked right before
   * an attempt begins.
   */
  instead(): Way | null {
    const way = this.#ways[this.#at]
    const next = this.#ways[this.#at + 1]
    if (way === undefined || next === undefined || this.#retriesMade > 0) return null
    const { ports, targets } = this.#call
    const { circuit } = targets.health.of(way.plan.key, ports.clock.nowMs())
    return mayBegin(circuit) && !this.isFull ? null : next
  }

  /** Its turn has come. */
  begin(way: Way): void {
    this.#at = this.#ways.indexOf(way)
    this.#retriesMade = 0
  }

  /** Null: nothing may be tried any more. */
  after({ failure }: FailedEnd): Next | null {
    const { ports, response, targets } = this.#call
    const leftMs = this.#untilMs - ports.clock.monotonicMs()
    const isOver = response.destroyed || response.headersSent || leftMs <= 0
    if (isOver || !this.hasAnother || !mayMoveOn(failure, this.#rules)) return null
    const next = this.#again(failure, leftMs) ?? this.#other()
    // Last, since it is counted.
    if (next === null || !targets.budget.tryRetry(this.#call.applicationId, ports.clock.nowMs())) return null
    this.#made++
    return next
  }

  /** Another one has been tried, or will be: what this one cost is the application's. */
  failed(end: FailedEnd, { plan }: Reserved): void {
    this.#failures.push(end.failure)
    this.#call.failed.push(failedAttempt(this.#call, end, plan))
  }

  /** The call fails: with what is wrong with the request, else with the failure that tells the client most. */
  lastFailure(end: FailedEnd, reserved: Reserved): FailedEnd {
    const { failed } = this.#call
    if (failed.length > 0 || end.spent !== null) this.failed(end, reserved)
    if (this.#failures.length < 2 || targetFailureOf(end.failure) === null) return end
    return { ...end, failure: mostHelpful(this.#failures) }
  }

  #again(failure: FailedEnd['failure'], leftMs: number): Next | null {
    const way = this.#ways[this.#at]
    const retryAfterMs = waitMsOf(failure)
    const isWorthIt =
      targetFailureOf(failure) !== 'credential_rejected' && targetFailureOf(failure) !== 'model_not_found'
    if (way === undefined || this.#retriesMade >= this.#rules.retriesPerTarget || !isWorthIt) return null
    const { random } = this.#call.ports
    const delayMs = retryDelayMs({ retriesMade: this.#retriesMade, retryAfterMs, leftMs, random })
    if (delayMs === null) return null
    this.#retriesMade++
    return { way, delayMs }
  }

  #other(): Next | null {
    const way = this.#ways[this.#at + 1]
    if (way === undefined) return null
    this.begin(way)
    return { way, delayMs: 0 }
  }

  get #rules() {
    const { routed } = this.#call
    if (!routed) throw new Error(`call ${this.#call.id} is tried before it is routed`)
    return routed.name.attempts
  }
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

/** False: the client left while nothing was asked of a provider. */
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

/** Null: the store does not take it. */
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
    ports.log.warn({ requestId: id, err: cause }, 'the store does not take the next target of a call')
    return null
  }
  const hold = { ...reserved.hold, quote, bound: { ...reserved.hold.bound, outputTokens } }
  return reservedAt(call, request, { ...reserved, hold }, way)
}
