import type { CircuitState } from './route-tree-types.ts'
import { counted, noCounts, sums, type SlidingCounts } from './counts-of-last-minute.ts'

/**
 * The circuit breaker of one account and model, as a pure reducer.
 *
 * The circuit opens in three cases:
 *
 * - Five calls in a row failed.
 * - At least 20 calls ended within a minute, and a fifth of them failed.
 * - The provider rejected the account or its model in a single call.
 *
 * The circuit is then open for 30 s. This time doubles for each consecutive opening, up to 5 min. If the provider
 * states a wait, the wait replaces this time. Afterwards, the circuit is half open, and one real call is the trial. The
 * outcome of the trial closes or reopens the circuit. A failure among the next five calls also reopens the circuit,
 * because one success proves little about a target that fails often.
 *
 * If another target can serve the caller, a probe replaces the trial. The probe is sent alongside a call, at most every
 * three seconds, and a successful probe closes the circuit. No probe is sent before a stated wait ends, or after a
 * rejected credential or an unknown model, which do not resolve by themselves.
 *
 * A 429 with a stated wait is not a failure, because the provider works. The circuit is open until the stated time, and
 * then closes without a trial. A trial would limit a busy account to one call at a time.
 */
export interface Circuit {
  readonly failuresInRow: number
  readonly recent: SlidingCounts
  /** Null if the circuit is closed. */
  readonly opening: Opening | null
  /** Number of consecutive openings, including the current one. */
  readonly openings: number
  /** Number of all openings. Never reset, so that it tells which calls began before the latest opening. */
  readonly openingsEver: number
  readonly closedAtMs: number
  /**
   * Number of successes still required after a trial closed the circuit. A failure before these successes reopens the
   * circuit.
   */
  readonly answersWanted: number
}

interface Opening {
  readonly kind: 'fault' | 'pause'
  readonly untilMs: number
  readonly why: string
  readonly trialSinceMs: number | null
  /** Until this time, probes replace real calls as trials. */
  readonly probedUntilMs: number
  readonly probeAtMs: number
  readonly probeSinceMs: number | null
}

export interface EndedCall {
  readonly nowMs: number
  /** The circuit's `openingsEver` when the call began. */
  readonly openingsBefore: number
}

export type AttemptOutcome =
  | {
      readonly kind: 'ok'
      /** Null if the time was not measured, for example for a non-streaming response. */
      readonly firstTokenMs: number | null
    }
  | {
      readonly kind: 'failed'
      readonly failure: TargetFailure
      /** Null if the provider states no wait. */
      readonly retryAfterMs: number | null
    }
  /** The request was invalid, the content was rejected, or the client disconnected. */
  | { readonly kind: 'neutral' }

export type TargetFailure =
  /** The connection, DNS or TLS failed, or the connection was lost before the response. */
  | 'connection'
  /** A timeout, or the status 408. */
  | 'timeout'
  /** A status of 5xx, including 529. */
  | 'server_error'
  /** The status 429 or 425. */
  | 'rate_limited'
  /** The status 401 or 403. */
  | 'credential_rejected'
  /** The status 404 for the model. */
  | 'model_not_found'
  /** A stream that was interrupted, or a body that does not match its declared type. */
  | 'broken_answer'
  | 'empty_answer'

const circuitLimits = {
  failuresInRowMax: 5,
  /** With fewer calls in the last minute, the failure rate is ignored. */
  rateCallsMin: 20,
  /**
   * The circuit opens if at least one in this many calls failed. The retry budget allows retries up to the same rate
   * (retry-budget.ts).
   */
  rateOneOf: 5,
  coolDownMs: 30_000,
  /** The longest cool-down, and the longest wait that a provider can request. */
  coolDownMaxMs: 300_000,
  /** If the circuit opens after it was closed for this time, the cool-down is the shortest again. */
  forgivenMs: 600_000,
  answersWanted: 5,
  /**
   * After this time, an unfinished trial no longer blocks another trial. Its response may be long, or its outcome may
   * be lost.
   */
  trialMs: 60_000,
  /** With a call every few seconds, a target is used again within ten seconds of its recovery. */
  probeEveryMs: 3_000,
  /** If probes fail for this time, a real call is the trial, because the probe itself may be wrong. */
  probedForMs: 600_000,
}

export const newCircuit: Circuit = {
  failuresInRow: 0,
  recent: noCounts,
  opening: null,
  openings: 0,
  openingsEver: 0,
  closedAtMs: -Infinity,
  answersWanted: 0,
}

const closed: CircuitState = { kind: 'closed' }

export function circuitState(circuit: Circuit, nowMs: number): CircuitState {
  const { opening } = circuit
  if (opening === null) return closed
  const { kind, untilMs, why } = opening
  if (nowMs < untilMs) return { kind: 'open', untilMs, why }
  if (kind === 'pause') return closed
  return {
    kind: 'half_open',
    isTrying: isTrying(opening, nowMs),
    isProbed: nowMs < opening.probedUntilMs,
    why,
  }
}

/** Moves all times of the circuit, because the clock was set back by this amount. */
export function circuitSetBack(circuit: Circuit, byMs: number): Circuit {
  const { closedAtMs, opening } = circuit
  if (opening === null) return { ...circuit, closedAtMs: closedAtMs - byMs }
  const { probeAtMs, probedUntilMs, probeSinceMs, trialSinceMs, untilMs } = opening
  return {
    ...circuit,
    closedAtMs: closedAtMs - byMs,
    opening: {
      ...opening,
      untilMs: untilMs - byMs,
      trialSinceMs: trialSinceMs === null ? null : trialSinceMs - byMs,
      probedUntilMs: probedUntilMs - byMs,
      probeAtMs: probeAtMs - byMs,
      probeSinceMs: probeSinceMs === null ? null : probeSinceMs - byMs,
    },
  }
}

export function mayProbe({ opening }: Circuit, nowMs: number): boolean {
  if (opening?.kind !== 'fault' || nowMs >= opening.probedUntilMs || nowMs < opening.probeAtMs) return false
  const { probeSinceMs } = opening
  return !isTrying(opening, nowMs) && (probeSinceMs === null || nowMs - probeSinceMs >= circuitLimits.trialMs)
}

export function probeBegun(circuit: Circuit, nowMs: number): Circuit {
  const { opening } = circuit
  return opening === null ? circuit : { ...circuit, opening: { ...opening, probeSinceMs: nowMs } }
}

/**
 * If the provider rejects the probe as invalid, nothing is known about the target. A real call may then become the
 * trial immediately.
 */
export function probeEnded(circuit: Circuit, outcome: AttemptOutcome, nowMs: number): Circuit {
  const { opening } = circuit
  if (opening?.kind !== 'fault' || opening.probeSinceMs === null) return circuit
  if (outcome.kind === 'ok') return closedAgain(circuit, nowMs)
  const ended = { ...opening, probeSinceMs: null, probeAtMs: nowMs + circuitLimits.probeEveryMs }
  if (outcome.kind === 'neutral')
    return {
      ...circuit,
      opening: { ...ended, probedUntilMs: nowMs, untilMs: Math.min(opening.untilMs, nowMs) },
    }
  const { failure, retryAfterMs } = outcome
  if (!passes(failure)) return { ...circuit, opening: { ...ended, probedUntilMs: nowMs } }
  const probeAtMs = Math.max(ended.probeAtMs, nowMs + (believed(retryAfterMs) ?? 0))
  return { ...circuit, opening: { ...ended, probeAtMs } }
}

export function mayBegin(state: CircuitState): boolean {
  return state.kind === 'closed' || (state.kind === 'half_open' && !state.isTrying)
}

/** In a half-open circuit, the call becomes the trial. */
export function circuitBegun(circuit: Circuit, nowMs: number): Circuit {
  const { opening } = circuit
  if (opening?.kind !== 'fault' || nowMs < opening.untilMs || isTrying(opening, nowMs)) return circuit
  return { ...circuit, opening: { ...opening, trialSinceMs: nowMs } }
}

/**
 * A call that began before the latest opening changes nothing, even if it ends after a trial began or after the circuit
 * closed. Calls that hang in an outage would otherwise end the trial, or reopen a circuit after the target recovered.
 */
export function circuitEnded(circuit: Circuit, outcome: AttemptOutcome, call: EndedCall): Circuit {
  const { opening } = circuit
  const { nowMs, openingsBefore } = call
  if (openingsBefore < circuit.openingsEver) return circuit
  if (opening?.kind === 'fault') return endedWhileOpen(circuit, opening, outcome, nowMs)
  if (opening !== null && nowMs >= opening.untilMs)
    return circuitEnded({ ...circuit, opening: null }, outcome, call)
  if (outcome.kind === 'neutral') return circuit
  if (outcome.kind === 'ok')
    return {
      failuresInRow: 0,
      recent: counted(circuit.recent, { all: 1, marked: 0 }, nowMs),
      opening,
      openings: circuit.openings,
      openingsEver: circuit.openingsEver,
      closedAtMs: circuit.closedAtMs,
      answersWanted: Math.max(0, circuit.answersWanted - 1),
    }

  const { failure, retryAfterMs } = outcome
  if (failure === 'rate_limited' && believed(retryAfterMs) !== null)
    return paused(circuit, opening, believed(retryAfterMs) ?? 0, nowMs)
  const failed = {
    ...circuit,
    failuresInRow: circuit.failuresInRow + 1,
    recent: counted(circuit.recent, { all: 1, marked: 1 }, nowMs),
  }
  const why = reasonToOpen(failed, failure, nowMs)
  return why === null ? failed : opened(failed, why, outcome, nowMs)
}

function endedWhileOpen(circuit: Circuit, opening: Opening, outcome: AttemptOutcome, nowMs: number): Circuit {
  // Without a trial, this call was sent because no other target remained.
  if (opening.trialSinceMs === null) return circuit
  if (outcome.kind === 'neutral') return { ...circuit, opening: { ...opening, trialSinceMs: null } }
  if (outcome.kind === 'ok') return closedAgain(circuit, nowMs)
  return opened(circuit, `the request that tested it ended with ${words[outcome.failure]}`, outcome, nowMs)
}

/** The failure rate detects a target that fails often, but never five times in a row. */
function reasonToOpen(circuit: Circuit, failure: TargetFailure, nowMs: number): string | null {
  if (failure === 'credential_rejected' || failure === 'model_not_found') return words[failure]
  const { answersWanted, failuresInRow, recent } = circuit
  if (answersWanted > 0) return `soon after the test, a request ended with ${words[failure]}`
  if (failuresInRow >= circuitLimits.failuresInRowMax)
    return `${failuresInRow} failures in a row, the last one ${words[failure]}`
  const { all, marked } = sums(recent, nowMs)
  if (all < circuitLimits.rateCallsMin || marked * circuitLimits.rateOneOf < all) return null
  return `${marked} of ${all} requests failed within a minute, the last one with ${words[failure]}`
}

function closedAgain({ openings, openingsEver }: Circuit, nowMs: number): Circuit {
  const { answersWanted } = circuitLimits
  return { ...newCircuit, openings, openingsEver, closedAtMs: nowMs, answersWanted }
}

/** Rejected credentials and unknown models do not resolve by themselves. */
function passes(failure: TargetFailure): boolean {
  return failure !== 'credential_rejected' && failure !== 'model_not_found'
}

function opened(
  circuit: Circuit,
  why: string,
  { failure, retryAfterMs }: Extract<AttemptOutcome, { readonly kind: 'failed' }>,
  nowMs: number,
): Circuit {
  const isForgiven =
    circuit.opening?.kind !== 'fault' && nowMs - circuit.closedAtMs > circuitLimits.forgivenMs
  const openings = isForgiven ? 1 : circuit.openings + 1
  const { coolDownMs, coolDownMaxMs, probedForMs, probeEveryMs } = circuitLimits
  const waitMs = believed(retryAfterMs) ?? Math.min(coolDownMaxMs, coolDownMs * 2 ** (openings - 1))
  // If the circuit is already open for longer, keep the later end.
  const untilMs = Math.max(nowMs + waitMs, circuit.opening?.untilMs ?? 0)
  return {
    ...circuit,
    opening: {
      kind: 'fault',
      untilMs,
      why,
      trialSinceMs: null,
      probedUntilMs: passes(failure) ? nowMs + probedForMs : nowMs,
      probeAtMs: nowMs + (believed(retryAfterMs) ?? probeEveryMs),
      probeSinceMs: null,
    },
    openings,
    openingsEver: circuit.openingsEver + 1,
    answersWanted: 0,
  }
}

function paused(circuit: Circuit, opening: Opening | null, waitMs: number, nowMs: number): Circuit {
  const untilMs = Math.max(nowMs + waitMs, opening?.untilMs ?? 0)
  const why = `the provider returned 429 and asked to wait ${Math.ceil(waitMs / 1000)} s`
  const never = { probedUntilMs: -Infinity, probeAtMs: Infinity, probeSinceMs: null }
  return { ...circuit, opening: { kind: 'pause', untilMs, why, trialSinceMs: null, ...never } }
}

/** Returns at most the longest cool-down. A wait of zero counts as no stated wait. */
function believed(retryAfterMs: number | null): number | null {
  if (retryAfterMs === null || !(retryAfterMs > 0)) return null
  return Math.min(retryAfterMs, circuitLimits.coolDownMaxMs)
}

function isTrying({ trialSinceMs }: Opening, nowMs: number): boolean {
  return trialSinceMs !== null && nowMs - trialSinceMs < circuitLimits.trialMs
}

const words: Readonly<Record<TargetFailure, string>> = {
  connection: 'a failed connection',
  timeout: 'a missed deadline',
  server_error: 'a provider error (5xx)',
  rate_limited: 'a 429',
  credential_rejected: 'a rejected credential (401 or 403)',
  model_not_found: 'an unknown model (404)',
  broken_answer: 'an incomplete or invalid response',
  empty_answer: 'an empty response',
}
