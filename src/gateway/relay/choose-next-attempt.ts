import type { AttemptRules } from '#domain/application-config.ts'
import { Failure } from '#domain/errors.ts'
import { mayReason, modelLimits } from '#domain/accounts/published-model-limits.ts'
import { mayBegin } from '#routing/circuit-breaker.ts'
import { retryDelayMs } from '#routing/retry-delay.ts'
import type { Skip } from '#routing/route-tree-types.ts'
import { asksForReasoning } from '#gateway/decide/order-targets-of-call.ts'
import type { ReservedCall } from '#gateway/call/call-state-types.ts'
import type { Way } from '#gateway/call/routed-target-types.ts'
import type { CallEnd } from './end-of-call-at-provider.ts'
import { attemptDeadlines } from './attempt-deadlines.ts'
import {
  isContextFull,
  mayMoveOn,
  mayRepeat,
  mostHelpful,
  targetFailureOf,
  waitMsOf,
} from './classify-provider-failure.ts'
import type { Chances } from './attempt-at-provider.ts'

export type FailedEnd = Extract<CallEnd, { kind: 'failed' }>

interface Next {
  readonly way: Way
  readonly delayMs: number
}

/**
 * If a model name has other targets, the same target is called again only after a quick failure. The failed attempt
 * took at most `quickMs`, and the wait takes at most `repeatWaitMaxMs`.
 */
const repeatWaitMaxMs = 3_000
const quickMs = 5_000

/**
 * The application's retry budget limits repeated attempts at one target, so that an outage does not multiply requests.
 * Attempts at another target are limited only by the target's circuit and its `maxInFlight`.
 */
export class Tries {
  readonly #call: ReservedCall
  readonly #ways: readonly Way[]
  readonly #rules: AttemptRules
  readonly #repeatsMax: number
  readonly #untilMs: number
  readonly #failures: FailedEnd['failure'][] = []
  #made = 1
  #at = 0
  #repeatsMade = 0
  #stop: Skip | null = null
  /**
   * Whether the call gets only one attempt, because the call continues a conversation. After a failure, the provider
   * may still add the response to the conversation. Another attempt would send this response as input, and the hold
   * does not cover its tokens.
   */
  readonly #isSentOnce: boolean

  constructor(call: ReservedCall) {
    const { request, routed } = call
    this.#call = call
    this.#isSentOnce = request.conversation !== undefined
    this.#ways = call.reserved.ways
    this.#rules = routed.name.attempts
    // Calls of a model name with one target and no routing rules are not repeated, because clients retry themselves.
    this.#repeatsMax = routed.name.isSingle ? 0 : this.#rules.retriesPerTarget
    this.#untilMs = call.ports.clock.monotonicMs() + this.#rules.withinMs
  }

  chances(): Chances {
    const { plan, request, routed } = this.#call
    if (routed.name.isSingle) return { hasAnother: false, mayFollow: false, deadlines: plan.deadlines }
    // With `withinMs: 0`, no attempt follows the first. A third of this time would be a deadline of 0.
    const hasTime = this.#leftMs > 0
    const hasAnother = hasTime && this.#hasAnother
    const mayFollow = hasAnother || (hasTime && this.#repeatsMade < this.#repeatsMax && this.#mayMakeMore)
    const deadlines = attemptDeadlines({
      usual: this.#call.ports.limits.deadlines,
      own: plan.deadlines,
      withinMs: this.#rules.withinMs,
      hasAnother,
      isStream: request.isStream,
      mayReason: hasAnother && (mayReason(plan.target.model) || asksForReasoning(request)),
      inputTokens: request.inputEstimate,
    })
    return { hasAnother, mayFollow, deadlines }
  }

  /**
   * Whether the next target has reached its limit of calls in flight. Other calls may have begun since the route was
   * planned.
   */
  get isFull(): boolean {
    const { targets } = this.#call
    const inFlight = (keys: readonly string[]): number =>
      keys.reduce((sum, key) => sum + targets.health.inFlight(key), 0)
    return this.#ways[this.#at]?.plan.bounds.some(({ keys, max }) => inFlight(keys) >= max) ?? false
  }

  /**
   * Called if every remaining target has reached its limit of calls in flight. The failure of an earlier attempt is
   * more useful to the client, so it takes precedence.
   */
  noneFree(): FailedEnd {
    const { routed } = this.#call
    const details = { model: routed.name.name, retryAfterSeconds: 1 }
    const failure = new Failure('targets_busy', details)
    const told = this.#failures.length === 0 ? failure : mostHelpful(this.#failures)
    return { kind: 'failed', failure: told, used: null, spent: null }
  }

  /**
   * Returns another target if the state of the current target has changed since the route was planned. Reasons are a
   * reached limit, an open circuit, or a circuit that another call is testing. Null if the current target may be
   * called, or if no other target remains.
   */
  instead(): Way | null {
    const way = this.#ways[this.#at]
    const next = this.#ways[this.#at + 1]
    if (way === undefined || next === undefined || this.#repeatsMade > 0) return null
    const { ports, targets } = this.#call
    const { circuit } = targets.health.of(way.plan, ports.clock.nowMs())
    return mayBegin(circuit) && !this.isFull ? null : next
  }

  begin(way: Way): void {
    this.#at = this.#ways.indexOf(way)
    this.#repeatsMade = 0
  }

  /** Returns null if no more attempts are allowed, after recording the reason for `requests.explain`. */
  after({ failure }: FailedEnd): Next | null {
    const { response } = this.#call
    if (response.destroyed || response.headersSent) return null
    const isTooLong = this.#rules.onContextLength === 'next' && isContextFull(failure)
    if (!isTooLong && !mayMoveOn(failure, this.#rules)) return this.#stopped(stops.notMovedOn)
    const leftMs = this.#leftMs
    if (leftMs <= 0) return this.#stopped(stops.withinMs(this.#rules))
    if (this.#isSentOnce) return this.#stopped(stops.sentOnce)
    if (!this.#mayMakeMore) return this.#stopped(stops.attemptsMax(this.#rules))
    const next = isTooLong ? this.#roomier() : (this.#again(failure, leftMs) ?? this.#other())
    if (next !== null) this.#made++
    return next
  }

  noteStop(): void {
    const skip = this.#stop
    const { routed } = this.#call
    if (skip === null || !routed.order) return
    const left = new Set(this.#ways.slice(this.#at + 1).map(({ plan }) => plan))
    const order = routed.order.map((target) =>
      target.skip === null && target.leaf.plan !== null && left.has(target.leaf.plan)
        ? { ...target, skip }
        : target,
    )
    this.#call.routed = { ...routed, order }
  }

  /** Called only if another attempt is planned. */
  failed({ failure }: FailedEnd): void {
    this.#failures.push(failure)
  }

  /**
   * If the request itself caused the last failure, that failure is reported. For other causes, the failure that helps
   * the client most is reported.
   */
  lastFailure(end: FailedEnd): FailedEnd {
    this.#failures.push(end.failure)
    if (this.#failures.length < 2 || targetFailureOf(end.failure) === null) return end
    return { ...end, failure: mostHelpful(this.#failures) }
  }

  /** Remaining time in which another attempt may begin. */
  get #leftMs(): number {
    return this.#untilMs - this.#call.ports.clock.monotonicMs()
  }

  get #mayMakeMore(): boolean {
    return !this.#isSentOnce && this.#made < this.#rules.attemptsMax
  }

  get #hasAnother(): boolean {
    return this.#at + 1 < this.#ways.length && this.#mayMakeMore
  }

  #stopped(skip: Skip): null {
    this.#stop = skip
    return null
  }

  #again(failure: FailedEnd['failure'], leftMs: number): Next | null {
    const way = this.#ways[this.#at]
    if (way === undefined || this.#repeatsMade >= this.#repeatsMax || !mayRepeat(failure)) return null
    const { applicationId, attempts, ports, targets } = this.#call
    const last = attempts.at(-1)
    const hasOthers = this.#ways.length > 1
    if (hasOthers && (last?.durationMs ?? 0) > quickMs) return null
    const delayMs = retryDelayMs({
      retriesMade: this.#repeatsMade,
      retryAfterMs: waitMsOf(failure),
      leftMs: hasOthers ? Math.min(leftMs, repeatWaitMaxMs) : leftMs,
      random: ports.random,
    })
    if (delayMs === null) return null
    const nowMs = ports.clock.nowMs()
    const { circuit } = targets.health.of(way.plan, nowMs)
    if (circuit.kind !== 'closed' && !(circuit.kind === 'open' && circuit.untilMs <= nowMs + delayMs))
      return null
    // Check the retry budget last, because a successful check uses up a part of the budget.
    if (!targets.budget.tryRetry(applicationId, nowMs)) {
      if (last !== undefined) last.notRepeated = 'retry_budget'
      return null
    }
    this.#repeatsMade++
    return { way, delayMs }
  }

  #other(): Next | null {
    const way = this.#ways[this.#at + 1]
    if (way === undefined) return null
    this.begin(way)
    return { way, delayMs: 0 }
  }

  /**
   * Called if the request exceeds the context window of the current target. Returns the next target whose window may be
   * larger.
   */
  #roomier(): Next | null {
    const from = this.#ways[this.#at]
    if (from === undefined) return null
    const nowMs = this.#call.ports.clock.nowMs()
    const roomOf = ({ plan: { source } }: Way): number | null =>
      modelLimits(source.account, source.model, nowMs).contextTokens
    const room = roomOf(from)
    const way = this.#ways.slice(this.#at + 1).find((one) => {
      const its = roomOf(one)
      return its === null || room === null ? one.plan.source.model !== from.plan.source.model : its > room
    })
    if (way === undefined) return this.#stopped(stops.noRoom)
    this.begin(way)
    return { way, delayMs: 0 }
  }
}

/** Reasons for not calling the remaining targets, although the targets could have been called. */
const stops = {
  notMovedOn: {
    code: 'not_moved_on',
    reason: 'no other target is tried after the previous failure',
  },
  sentOnce: {
    code: 'sent_once',
    reason: 'a request that continues a stored conversation is sent to a provider only once',
  },
  noRoom: {
    code: 'context_too_small',
    reason: 'its context window is not larger than that of the target for which the request was too long',
  },
  withinMs: ({ withinMs }: AttemptRules): Skip => ({
    code: 'within_ms',
    reason: `no attempt begins later than ${withinMs} ms after the first attempt (withinMs)`,
  }),
  attemptsMax: ({ attemptsMax }: AttemptRules): Skip => ({
    code: 'attempts_max',
    reason: `${attemptsMax} attempts were made, which is the maximum (attemptsMax)`,
  }),
} as const
