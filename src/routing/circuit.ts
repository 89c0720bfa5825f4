import type { CircuitState } from './route.ts'
import { counted, noCounts, sums, type SlidingCounts } from './sliding-counts.ts'

/**
 * The circuit of one account and model, as a pure reducer: what is told of its calls decides whether others are sent.
 *
 * It opens after five failures in a row, when a fifth of at least 20 calls of a minute failed, or at once where
 * the account or its model is refused. It stays open for 30 s, twice as long each time in a row up to 5 min, or for as
 * long as the provider says; then it is half open: one real call tries, and closes it or opens it again. One answer
 * does not prove much of a target that fails two calls of three, so a failure among the next five opens it again too.
 *
 * Where another target serves the caller, nobody waits for such a trial: a probe beside the call finds out, every three
 * seconds while calls come, and closes the circuit when it is answered. It tries what may pass by itself, and not a
 * rejected credential or an unknown model; a provider that says how long to wait is not probed before.
 *
 * A 429 that says for how long is no fault: the provider works, and says when it takes the next call. Until then the
 * circuit is open, and then closed without a trial, which would hold a busy account down to one call at a time.
 */
export interface Circuit {
  readonly failuresInRow: number
  /** Calls, and those of them that failed. */
  readonly recent: SlidingCounts
  /** Null: closed. */
  readonly opening: Opening | null
  /** How often it has opened in a row, this time included. */
  readonly openings: number
  readonly closedAtMs: number
  /** Answers that are still wanted since a trial closed it: a failure before them opens it again. */
  readonly answersWanted: number
}

interface Opening {
  readonly kind: 'fault' | 'pause'
  readonly untilMs: number
  readonly why: string
  /** Since when a call tries; null: none does. */
  readonly trialSinceMs: number | null
  /** Probes try it in place of real calls, until then. */
  readonly probedUntilMs: number
  /** When the next probe may be sent. */
  readonly probeAtMs: number
  /** Since when a probe is under way; null: none is. */
  readonly probeSinceMs: number | null
}

/** How an attempt ended, as far as it says something of its target. */
export type AttemptOutcome =
  | {
      readonly kind: 'ok'
      /** Null: not measured, as of an answer that is not a stream. */
      readonly firstTokenMs: number | null
    }
  | {
      readonly kind: 'failed'
      readonly failure: TargetFailure
      /** What the provider says; null: nothing. */
      readonly retryAfterMs: number | null
    }
  /** It says nothing of the target: a request that is wrong, a refusal of content, a client that left. */
  | { readonly kind: 'neutral' }

/** Whatever is the doing of the account, its model or its provider. */
export type TargetFailure =
  /** No connection, name or TLS, or one that was lost before the answer. */
  | 'connection'
  /** A deadline passed, or 408. */
  | 'timeout'
  /** 5xx and 529. */
  | 'server_error'
  /** 429 and 425. */
  | 'rate_limited'
  /** 401 and 403. */
  | 'credential_rejected'
  /** 404 of the model. */
  | 'model_not_found'
  /** A stream that broke off, a body that is not what it says. */
  | 'broken_answer'
  | 'empty_answer'

const circuitLimits = {
  failuresInRowMax: 5,
  /** Of at least so many calls in a minute... */
  rateCallsMin: 20,
  /** ...one of so many failed: as many as the retry budget can carry (retry-budget.ts). */
  rateOneOf: 5,
  coolDownMs: 30_000,
  /** Also the longest that a provider is believed. */
  coolDownMaxMs: 300_000,
  /** Closed for so long, it begins again with the shortest cool-down. */
  forgivenMs: 600_000,
  answersWanted: 5,
  /** A trial that has not ended by then keeps no other one away: it may be a long answer, or lost. */
  trialMs: 60_000,
  /** A target is back in use within ten seconds of its recovery, where calls come every few seconds. */
  probeEveryMs: 3_000,
  /** A probe that fails for so long may be the fault of the probe: one real call tries. */
  probedForMs: 600_000,
}

export const newCircuit: Circuit = {
  failuresInRow: 0,
  recent: noCounts,
  opening: null,
  openings: 0,
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

/** Whether a probe should be sent now, beside a call that another target serves. */
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
 * A probe has ended. An answer closes the circuit, as that of a trial does. One that says nothing of the target (the
 * provider rejects the probe itself) leaves it to a real call, now.
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

/** Whether a call may be sent now: not while it is open, and not beside the one that tries. */
export function mayBegin(state: CircuitState): boolean {
  return state.kind === 'closed' || (state.kind === 'half_open' && !state.isTrying)
}

/** A call is sent: on a half-open circuit it is the one that tries. */
export function circuitBegun(circuit: Circuit, nowMs: number): Circuit {
  const { opening } = circuit
  if (opening?.kind !== 'fault' || nowMs < opening.untilMs || isTrying(opening, nowMs)) return circuit
  return { ...circuit, opening: { ...opening, trialSinceMs: nowMs } }
}

/** A call has ended. What began before the circuit opened, and ends while it is open, changes nothing. */
export function circuitEnded(circuit: Circuit, outcome: AttemptOutcome, nowMs: number): Circuit {
  const { opening } = circuit
  if (opening?.kind === 'fault') return endedWhileOpen(circuit, opening, outcome, nowMs)
  if (opening !== null && nowMs >= opening.untilMs)
    return circuitEnded({ ...circuit, opening: null }, outcome, nowMs)
  if (outcome.kind === 'neutral') return circuit
  if (outcome.kind === 'ok')
    return {
      failuresInRow: 0,
      recent: counted(circuit.recent, { all: 1, marked: 0 }, nowMs),
      opening,
      openings: circuit.openings,
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
  // Without a trial this is an old call, or one that was sent because no other target was left.
  if (opening.trialSinceMs === null) return circuit
  if (outcome.kind === 'neutral') return { ...circuit, opening: { ...opening, trialSinceMs: null } }
  if (outcome.kind === 'ok') return closedAgain(circuit, nowMs)
  return opened(circuit, `the call that tried it met ${words[outcome.failure]}`, outcome, nowMs)
}

/** The rate counts where failures come between answers. */
function reasonToOpen(circuit: Circuit, failure: TargetFailure, nowMs: number): string | null {
  if (failure === 'credential_rejected' || failure === 'model_not_found') return words[failure]
  const { answersWanted, failuresInRow, recent } = circuit
  if (answersWanted > 0) return `soon after it was tried again it met ${words[failure]}`
  if (failuresInRow >= circuitLimits.failuresInRowMax)
    return `${failuresInRow} failures in a row, the last one ${words[failure]}`
  const { all, marked } = sums(recent, nowMs)
  if (all < circuitLimits.rateCallsMin || marked * circuitLimits.rateOneOf < all) return null
  return `${marked} of ${all} calls failed within a minute, the last one with ${words[failure]}`
}

function closedAgain({ openings }: Circuit, nowMs: number): Circuit {
  const { answersWanted } = circuitLimits
  return { ...newCircuit, openings, closedAtMs: nowMs, answersWanted }
}

/** Whether it may pass while nobody changes anything. */
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
  // A pause that lasts longer is kept.
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
    answersWanted: 0,
  }
}

function paused(circuit: Circuit, opening: Opening | null, waitMs: number, nowMs: number): Circuit {
  const untilMs = Math.max(nowMs + waitMs, opening?.untilMs ?? 0)
  const why = `the provider answered 429 and asks to wait ${Math.ceil(waitMs / 1000)} s`
  const never = { probedUntilMs: -Infinity, probeAtMs: Infinity, probeSinceMs: null }
  return { ...circuit, opening: { kind: 'pause', untilMs, why, trialSinceMs: null, ...never } }
}

/** What a provider says is believed up to the longest cool-down; to try again at once is as good as nothing said. */
function believed(retryAfterMs: number | null): number | null {
  if (retryAfterMs === null || !(retryAfterMs > 0)) return null
  return Math.min(retryAfterMs, circuitLimits.coolDownMaxMs)
}

function isTrying({ trialSinceMs }: Opening, nowMs: number): boolean {
  return trialSinceMs !== null && nowMs - trialSinceMs < circuitLimits.trialMs
}

/** Each completes `the last one ...` and `it met ...`. */
const words: Readonly<Record<TargetFailure, string>> = {
  connection: 'a connection that failed',
  timeout: 'a deadline that passed',
  server_error: 'an error of the provider (5xx)',
  rate_limited: 'a 429',
  credential_rejected: 'a rejected credential (401 or 403)',
  model_not_found: 'an unknown model (404)',
  broken_answer: 'an answer that broke off or is not what it says',
  empty_answer: 'an empty answer',
}
