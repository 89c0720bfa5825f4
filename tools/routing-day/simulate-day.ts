import { planRoute } from '#routing/plan-route.ts'
import { retryDelayMs } from '#routing/retry-delay.ts'
import type { Leaf, LeafFacts, Policy, RoutedCall, RouteNode } from '#routing/route-tree-types.ts'
import { TargetHealth, type BegunCall } from '#routing/target-health.ts'
import {
  dayMs,
  scriptOfDay,
  TargetInTrouble,
  type SimulatedAttempt,
  type SimulatedRequest,
} from './targets-and-troubles-of-day.ts'

/**
 * The production policies and circuits choose the targets on a virtual clock, and attempts follow each other as in the
 * gateway. Unlike in the gateway, no target is tried twice, and no probes are sent. Two strategies without policies and
 * circuits are simulated for comparison. For each request, `retry_loop` tries the targets in the same order.
 * `one_target` tries the first target three times, as official clients do.
 */
export type Strategy = Policy | 'retry_loop' | 'one_target'

export interface DayReport {
  readonly strategy: Strategy
  readonly calls: number
  readonly delivered: number
  readonly attempts: number
  /** From the arrival of a successful call to the start of the successful attempt. */
  readonly addedMs: Percentiles
  /** From the arrival of the call. */
  readonly firstTokenMs: Percentiles
  readonly costMicros: number
  /** The cost of failed attempts. */
  readonly wastedMicros: number
}

interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly p999: number
}

/** docs/reference/routing.md states these rules together with the results. */
export const dayRules = { attemptsMax: 5, withinMs: 60_000, firstByteMs: 20_000, retriesOfOneTarget: 2 }

export function simulateDay(
  strategy: Strategy,
  calls: number,
  randomOf: (stream: string) => () => number,
): DayReport {
  const day = new Day(strategy, calls, randomOf)
  return day.run()
}

interface Call {
  readonly arrivedAtMs: number
  readonly request: SimulatedRequest
  readonly order: TargetInTrouble[]
  attempts: number
}

class Day {
  readonly #strategy: Strategy
  readonly #callsMax: number
  readonly #targets: ReadonlyMap<string, TargetInTrouble>
  readonly #route: RouteNode<Leaf>
  readonly #health = new TargetHealth()
  readonly #events = new EventQueue()
  /**
   * Only for routing. Arrivals and targets have separate random numbers, so that every strategy is tested with the same
   * day.
   */
  readonly #random: () => number
  readonly #arrivals: () => number
  readonly #addedMs: number[] = []
  readonly #firstTokenMs: number[] = []
  #calls = 0
  #attempts = 0
  #costMicros = 0
  #wastedMicros = 0

  constructor(strategy: Strategy, calls: number, randomOf: (stream: string) => () => number) {
    this.#strategy = strategy
    this.#callsMax = calls
    this.#random = randomOf('plans')
    this.#arrivals = randomOf('arrivals')
    this.#targets = new Map(
      scriptOfDay(randomOf('script')).map((target) => [
        target.key,
        new TargetInTrouble(target, randomOf(target.key)),
      ]),
    )
    this.#route = routeOf(strategy, this.#targets)
  }

  run(): DayReport {
    this.#events.add(this.#nextArrivalMs(0), () => this.#arrive())
    this.#events.run()
    return {
      strategy: this.#strategy,
      calls: this.#calls,
      delivered: this.#addedMs.length,
      attempts: this.#attempts,
      addedMs: percentiles(this.#addedMs),
      firstTokenMs: percentiles(this.#firstTokenMs),
      costMicros: this.#costMicros,
      wastedMicros: this.#wastedMicros,
    }
  }

  /** More calls arrive during the day than during the night. */
  #nextArrivalMs(nowMs: number): number {
    const share = 1 - 0.6 * Math.cos((2 * Math.PI * nowMs) / dayMs)
    return nowMs - (Math.log(1 - this.#arrivals()) * dayMs) / (this.#callsMax * share)
  }

  #arrive(): void {
    const { nowMs } = this.#events
    this.#calls++
    const request = {
      inputTokens: Math.round(300 * Math.exp(1.5 * this.#arrivals())),
      outputTokens: Math.round(80 * Math.exp(1.8 * this.#arrivals())),
    }
    const person = Math.floor(this.#arrivals() * 10_000)
    const order = this.#orderOf(request, `eu_${person}`, nowMs)
    const nextMs = this.#nextArrivalMs(nowMs)
    if (this.#calls < this.#callsMax) this.#events.add(nextMs, () => this.#arrive())
    this.#attempt({ arrivedAtMs: nowMs, request, order, attempts: 0 })
  }

  #orderOf(request: SimulatedRequest, endUserId: string, nowMs: number): TargetInTrouble[] {
    const all = [...this.#targets.values()]
    if (this.#strategy === 'retry_loop') return all
    if (this.#strategy === 'one_target')
      return all
        .slice(0, 1)
        .flatMap((one) => Array.from({ length: 1 + dayRules.retriesOfOneTarget }, () => one))
    const call: RoutedCall = {
      bundle: 'pro',
      mode: 'live',
      features: new Set(),
      inputTokens: request.inputTokens,
      endUserId,
      session: null,
    }
    const plan = planRoute(
      this.#route,
      call,
      (leaf) => this.#factsOf(leaf, request),
      (leaf) => this.#health.of(leaf, nowMs),
      this.#random,
      nowMs,
    )
    return plan.flatMap(({ leaf: { key }, skip }) => (skip === null ? [this.#targetOf(key)] : []))
  }

  #factsOf({ key }: Leaf, { inputTokens }: SimulatedRequest): LeafFacts {
    const { inputPrice, outputPrice } = this.#targetOf(key).target
    // The mean length, because the length of the answer is not known in advance.
    return {
      skip: null,
      expectedMicros: BigInt(Math.round((inputTokens * inputPrice + 225 * outputPrice) / 1e6)),
    }
  }

  #targetOf(key: string): TargetInTrouble {
    const target = this.#targets.get(key)
    if (target === undefined) throw new Error(`there is no target ${key}`)
    return target
  }

  #attempt(call: Call): void {
    const { nowMs } = this.#events
    const target = call.order.shift()
    if (target === undefined) return
    const { key } = target.target
    call.attempts++
    this.#attempts++
    const begun = this.#health.begin({ key }, nowMs)
    const attempt = target.attempt(call.request, dayRules.firstByteMs, nowMs)
    this.#events.add(nowMs + attempt.takesMs, () => this.#ended(call, begun, attempt))
  }

  #ended(call: Call, begun: BegunCall, attempt: SimulatedAttempt): void {
    const { nowMs } = this.#events
    this.#costMicros += attempt.costMicros
    if (attempt.kind === 'answered') {
      this.#health.end(begun, { kind: 'ok', firstTokenMs: attempt.firstTokenMs }, nowMs)
      const addedMs = nowMs - attempt.takesMs - call.arrivedAtMs
      this.#addedMs.push(addedMs)
      this.#firstTokenMs.push(addedMs + attempt.firstTokenMs)
      return
    }
    this.#wastedMicros += attempt.costMicros
    if (attempt.kind === 'broken_in_sight') {
      this.#health.end(begun, { kind: 'failed', failure: 'broken_answer', retryAfterMs: null }, nowMs)
      return
    }
    const { failure, retryAfterMs } = attempt
    this.#health.end(begun, { kind: 'failed', failure, retryAfterMs }, nowMs)
    const leftMs = call.arrivedAtMs + dayRules.withinMs - nowMs
    if (call.attempts >= dayRules.attemptsMax || leftMs <= 0) return
    if (this.#strategy !== 'one_target') {
      this.#attempt(call)
      return
    }
    const waitMs = retryDelayMs({
      retriesMade: call.attempts - 1,
      retryAfterMs,
      leftMs,
      random: this.#random,
    })
    if (waitMs !== null) this.#events.add(nowMs + waitMs, () => this.#attempt(call))
  }
}

/** The weights and limits of the router correspond to the capacity of the targets. */
function routeOf(strategy: Strategy, targets: ReadonlyMap<string, TargetInTrouble>): RouteNode<Leaf> {
  return {
    kind: 'node',
    name: 'acme/fast',
    policy: strategy === 'retry_loop' || strategy === 'one_target' ? 'priority' : strategy,
    stickyBy: 'end_user',
    branches: Array.from(targets.values(), ({ target: { key, callsPerMinuteMax } }) => ({
      weight: callsPerMinuteMax,
      // The maximum is the number of calls in eight seconds.
      maxInFlight: strategy === 'leastBusy' ? Math.ceil((callsPerMinuteMax * 8) / 60) : null,
      when: null,
      to: { kind: 'leaf', key },
    })),
  }
}

function percentiles(values: readonly number[]): Percentiles {
  const sorted = Float64Array.from(values).toSorted()
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), p999: at(0.999) }
}

/** The future events, on a clock that jumps from event to event. */
class EventQueue {
  nowMs = 0
  readonly #heap: { readonly atMs: number; readonly order: number; readonly act: () => void }[] = []
  #added = 0

  add(atMs: number, act: () => void): void {
    const heap = this.#heap
    heap.push({ atMs, order: this.#added++, act })
    for (let at = heap.length - 1; at > 0;) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  run(): void {
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      const last = this.#heap.pop()
      if (last !== undefined && this.#heap.length > 0) {
        this.#heap[0] = last
        this.#sink()
      }
      this.nowMs = first.atMs
      first.act()
    }
  }

  #sink(): void {
    const { length } = this.#heap
    for (let at = 0; ;) {
      const left = 2 * at + 1
      if (left >= length) return
      const child = left + 1 < length && this.#isBefore(left + 1, left) ? left + 1 : left
      if (!this.#isBefore(child, at)) return
      this.#swap(at, child)
      at = child
    }
  }

  /** Events at the same time keep the order of their insertion. */
  #isBefore(one: number, other: number): boolean {
    const a = this.#heap[one]
    const b = this.#heap[other]
    if (a === undefined || b === undefined) return false
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
  }

  #swap(one: number, other: number): void {
    const a = this.#heap[one]
    const b = this.#heap[other]
    if (a === undefined || b === undefined) return
    this.#heap[one] = b
    this.#heap[other] = a
  }
}
