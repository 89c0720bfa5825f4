import {
  circuitBegun,
  circuitEnded,
  circuitSetBack,
  circuitState,
  mayProbe,
  newCircuit,
  probeBegun,
  probeEnded,
  type AttemptOutcome,
  type Circuit,
} from './circuit-breaker.ts'
import type { HealthTarget, LeafHealth } from './route-tree-types.ts'

/**
 * Health of each account and model, from the calls that this process serves. After a restart, all targets are unknown.
 * If the URL or the credential of an account changes, the account's health is reset. Results of calls that began before
 * the change are ignored. If the clock is set back, all remembered times are set back too. An open circuit would
 * otherwise stay open for the difference.
 */
export class TargetHealth {
  readonly #targets = new Map<string, Target>()
  readonly #keysMax: number
  #latestMs = -Infinity

  /**
   * Beyond `keysMax` keys, a new key replaces the key whose last call began longest ago, among keys without a call in
   * flight. If every key has a call in flight, the number of keys exceeds `keysMax`.
   */
  constructor(keysMax = 10_000) {
    this.#keysMax = keysMax
  }

  /** Each `begin` must be followed by exactly one `end` with its result. */
  begin({ access, key }: HealthTarget, nowMs: number): BegunCall {
    this.#followClock(nowMs)
    let target = this.#targets.get(key)
    if (target === undefined) {
      if (this.#targets.size >= this.#keysMax) this.#dropOldestIdle()
      target = newTarget(access)
      this.#targets.set(key, target)
    } else if (target.access !== access) {
      target = { ...newTarget(access), inFlight: target.inFlight }
      this.#targets.set(key, target)
    }
    target.inFlight++
    target.lastBegunAtMs = nowMs
    target.circuit = circuitBegun(target.circuit, nowMs)
    return { key, ...(access !== undefined && { access }), openingsBefore: target.circuit.openingsEver }
  }

  end({ access, key, openingsBefore }: BegunCall, outcome: AttemptOutcome, nowMs: number): void {
    this.#followClock(nowMs)
    const target = this.#targets.get(key)
    if (target === undefined) return
    if (target.inFlight > 0) target.inFlight--
    if (target.access !== access) return
    if (outcome.kind === 'ok' && outcome.firstTokenMs !== null) measure(target, outcome.firstTokenMs, nowMs)
    target.circuit = circuitEnded(target.circuit, outcome, { nowMs, openingsBefore })
  }

  /** If the result is true, send the probe and then call `probed`. */
  beginProbe({ access, key }: HealthTarget, nowMs: number): boolean {
    this.#followClock(nowMs)
    const target = this.#targets.get(key)
    if (target === undefined || target.access !== access || !mayProbe(target.circuit, nowMs)) return false
    target.circuit = probeBegun(target.circuit, nowMs)
    return true
  }

  probed({ access, key }: HealthTarget, outcome: AttemptOutcome, nowMs: number): void {
    this.#followClock(nowMs)
    const target = this.#targets.get(key)
    if (target !== undefined && target.access === access)
      target.circuit = probeEnded(target.circuit, outcome, nowMs)
  }

  /** Includes calls with an earlier URL or credential. */
  inFlight(key: string): number {
    return this.#targets.get(key)?.inFlight ?? 0
  }

  of({ access, key }: HealthTarget, nowMs: number): LeafHealth {
    this.#followClock(nowMs)
    const target = this.#targets.get(key)
    if (target === undefined) return unknown
    return target.access === access ? healthOf(target, nowMs) : { ...unknown, inFlight: target.inFlight }
  }

  all(nowMs: number): (LeafHealth & HealthTarget)[] {
    this.#followClock(nowMs)
    return Array.from(this.#targets, ([key, target]) => {
      const { access } = target
      return { key, ...(access !== undefined && { access }), ...healthOf(target, nowMs) }
    })
  }

  #followClock(nowMs: number): void {
    const backMs = this.#latestMs - nowMs
    if (backMs > 0 && backMs < setBackMsMin) return
    this.#latestMs = nowMs
    if (backMs <= 0) return
    for (const target of this.#targets.values()) {
      target.lastBegunAtMs -= backMs
      target.measuredAtMs -= backMs
      target.circuit = circuitSetBack(target.circuit, backMs)
    }
  }

  #dropOldestIdle(): void {
    let oldest: string | null = null
    let oldestMs = Infinity
    for (const [key, { inFlight, lastBegunAtMs }] of this.#targets) {
      if (inFlight > 0 || lastBegunAtMs >= oldestMs) continue
      oldest = key
      oldestMs = lastBegunAtMs
    }
    if (oldest !== null) this.#targets.delete(oldest)
  }
}

export interface BegunCall extends HealthTarget {
  readonly openingsBefore: number
}

interface Target {
  readonly access: string | undefined
  inFlight: number
  lastBegunAtMs: number
  circuit: Circuit
  firstTokenMs: number
  /** Sum of the weights of all measured calls. Each call adds one, and the sum halves every `halfLifeMs`. */
  weight: number
  measuredAtMs: number
}

/** Smaller steps back have no effect that matters. */
const setBackMsMin = 1_000
const halfLifeMs = 30_000
/** If a target has no new measurement for this time, it counts as not measured. */
const knownForMs = 300_000

const unknown: LeafHealth = { inFlight: 0, firstTokenMs: null, circuit: { kind: 'closed' } }

function newTarget(access: string | undefined): Target {
  return {
    access,
    inFlight: 0,
    lastBegunAtMs: 0,
    circuit: newCircuit,
    firstTokenMs: 0,
    weight: 0,
    measuredAtMs: -Infinity,
  }
}

function healthOf(target: Target, nowMs: number): LeafHealth {
  return {
    inFlight: target.inFlight,
    firstTokenMs: nowMs - target.measuredAtMs < knownForMs ? target.firstTokenMs : null,
    circuit: circuitState(target.circuit, nowMs),
  }
}

/**
 * The average covers a period of time. An average over a number of calls would cover only a moment of a busy target.
 */
function measure(target: Target, firstTokenMs: number, nowMs: number): void {
  const kept = target.weight * 2 ** (-Math.max(0, nowMs - target.measuredAtMs) / halfLifeMs)
  target.firstTokenMs = (target.firstTokenMs * kept + firstTokenMs) / (kept + 1)
  target.weight = kept + 1
  target.measuredAtMs = nowMs
}
