import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '#tests/support/number-of-property-runs.ts'
import {
  circuitBegun,
  circuitEnded,
  circuitState,
  mayProbe,
  newCircuit,
  probeBegun,
  probeEnded,
  type AttemptOutcome,
  type Circuit,
  type TargetFailure,
} from './circuit-breaker.ts'

const ok: AttemptOutcome = { kind: 'ok', firstTokenMs: null }
const neutral: AttemptOutcome = { kind: 'neutral' }
const failed = (failure: TargetFailure, retryAfterMs: number | null = null): AttemptOutcome => ({
  kind: 'failed',
  failure,
  retryAfterMs,
})

/** The call began after the latest opening of the circuit. */
function ended(circuit: Circuit, outcome: AttemptOutcome, nowMs: number): Circuit {
  return circuitEnded(circuit, outcome, { nowMs, openingsBefore: circuit.openingsEver })
}

/** Each call begins and ends in the same millisecond. */
function after(outcomes: readonly (readonly [AttemptOutcome, number])[], from = newCircuit): Circuit {
  return outcomes.reduce(
    (circuit, [outcome, nowMs]) => ended(circuitBegun(circuit, nowMs), outcome, nowMs),
    from,
  )
}

const times = (count: number, outcome: AttemptOutcome, nowMs: number): [AttemptOutcome, number][] =>
  Array.from({ length: count }, () => [outcome, nowMs])

const opened = after(times(5, failed('server_error'), 0))

describe('a closed circuit', () => {
  it('a closed circuit opens at the fifth consecutive failure, not at the fourth', () => {
    expect(circuitState(after(times(4, failed('connection'), 0)), 0)).toEqual({ kind: 'closed' })
    expect(circuitState(after(times(5, failed('connection'), 0)), 29_999)).toEqual({
      kind: 'open',
      untilMs: 30_000,
      why: '5 failures in a row, the last one a failed connection',
    })
  })

  it('a response resets the count of failures, and outcomes that do not depend on the target change nothing', () => {
    const four = times(4, failed('timeout'), 0)
    expect(circuitState(after([...four, [ok, 0], ...four]), 0).kind).toBe('closed')
    expect(circuitState(after([...four, ...times(50, neutral, 0)]), 0).kind).toBe('closed')
    expect(circuitState(after([...four, [neutral, 0], [failed('timeout'), 0]]), 0).kind).toBe('open')
  })

  it('a closed circuit opens if a fifth of twenty calls in a minute failed', () => {
    const rounds = (count: number): (readonly [AttemptOutcome, number])[] =>
      Array.from({ length: count }, (_, at) => [
        ...times(4, ok, at * 1000),
        [failed('broken_answer'), at * 1000] as const,
      ]).flat()
    expect(circuitState(after(rounds(3)), 3_000).kind).toBe('closed')
    expect(circuitState(after(rounds(4)), 3_000)).toEqual({
      kind: 'open',
      untilMs: 33_000,
      why: '4 of 20 requests failed within a minute, the last one with an incomplete or invalid response',
    })
    expect(circuitState(after([[ok, 0], ...rounds(4)]), 3_000).kind).toBe('closed')
  })

  it('a closed circuit ignores calls that are older than a minute', () => {
    const rounds = [...times(3, failed('timeout'), 0), ...times(12, ok, 0)]
    const more = [...times(4, ok, 50_000), [failed('timeout'), 50_000] as const]
    expect(circuitState(after(more, after(rounds)), 50_000).kind).toBe('open')
    const later = more.map(([outcome]) => [outcome, 60_000] as const)
    expect(circuitState(after(later, after(rounds)), 60_000).kind).toBe('closed')
  })

  it.each(['credential_rejected', 'model_not_found'] as const)(
    'a closed circuit opens at the first %s',
    (failure) => {
      expect(circuitState(after([[failed(failure), 0]]), 0)).toMatchObject({ kind: 'open', untilMs: 30_000 })
    },
  )
})

describe('the status 429', () => {
  it('a 429 with a stated wait opens the circuit for the wait, and then the circuit closes without a trial', () => {
    const circuit = after([[failed('rate_limited', 7_000), 1_000]])
    expect(circuitState(circuit, 7_999)).toEqual({
      kind: 'open',
      untilMs: 8_000,
      why: 'the provider returned 429 and asked to wait 7 s',
    })
    expect(circuitState(circuit, 8_000)).toEqual({ kind: 'closed' })
    expect(circuitState(after(times(5, failed('rate_limited', 1_000), 0)), 1_000).kind).toBe('closed')
  })

  it('another 429 can extend a pause and never shortens the pause', () => {
    const circuit = after([
      [failed('rate_limited', 9_000), 0],
      [failed('rate_limited', 1_000), 1_000],
    ])
    expect(circuitState(circuit, 5_000)).toMatchObject({ kind: 'open', untilMs: 9_000 })
  })

  it('a wait that a 429 states applies for at most five minutes', () => {
    const circuit = after([[failed('rate_limited', 3_600_000), 0]])
    expect(circuitState(circuit, 1)).toMatchObject({ kind: 'open', untilMs: 300_000 })
  })

  it.each([null, 0, -5, Number.NaN])('a 429 with the wait %s counts as an ordinary failure', (wait) => {
    expect(circuitState(after(times(4, failed('rate_limited', wait), 0)), 0).kind).toBe('closed')
    expect(circuitState(after(times(5, failed('rate_limited', wait), 0)), 0).kind).toBe('open')
  })
})

describe('an open circuit', () => {
  it('an open circuit ignores the outcomes of calls that began before it opened', () => {
    for (const outcome of [ok, neutral, failed('timeout'), failed('rate_limited', 200_000)]) {
      expect(circuitEnded(opened, outcome, { nowMs: 10_000, openingsBefore: 0 })).toBe(opened)
      expect(circuitEnded(opened, outcome, { nowMs: 40_000, openingsBefore: 0 })).toBe(opened)
    }
  })

  it('a call that began before the circuit opened does not decide the trial, and does not end it', () => {
    const tried = circuitBegun(opened, 30_000)
    for (const outcome of [ok, neutral, failed('timeout'), failed('credential_rejected')])
      expect(circuitEnded(tried, outcome, { nowMs: 31_000, openingsBefore: 0 })).toBe(tried)
    const closed = circuitEnded(tried, ok, { nowMs: 32_000, openingsBefore: 1 })
    expect(circuitState(closed, 32_000)).toEqual({ kind: 'closed' })
  })

  it('a call that began before the circuit opened does not reopen a circuit that a trial or a probe closed', () => {
    const byProbe = probeEnded(probeBegun(opened, 3_000), ok, 3_001)
    for (const closed of [after([[ok, 30_000]], opened), byProbe]) {
      for (const outcome of [ok, failed('timeout'), failed('rate_limited', 9_000)])
        expect(circuitEnded(closed, outcome, { nowMs: 31_000, openingsBefore: 0 })).toBe(closed)
      const reopened = circuitEnded(closed, failed('timeout'), { nowMs: 31_000, openingsBefore: 1 })
      expect(circuitState(reopened, 31_000).kind).toBe('open')
    }
  })

  it('a circuit stays open for as long as the failing provider asks clients to wait', () => {
    const circuit = after([...times(4, failed('server_error'), 0), [failed('server_error', 90_000), 0]])
    expect(circuitState(circuit, 0)).toMatchObject({ kind: 'open', untilMs: 90_000 })
  })

  it('after its cool-down, an open circuit becomes half open and allows one call', () => {
    const why = '5 failures in a row, the last one a provider error (5xx)'
    expect(circuitState(opened, 30_000)).toEqual({ kind: 'half_open', isTrying: false, isProbed: true, why })
    const tried = circuitBegun(opened, 30_000)
    expect(circuitState(tried, 30_000)).toEqual({ kind: 'half_open', isTrying: true, isProbed: true, why })
    expect(circuitBegun(tried, 31_000)).toBe(tried)
    expect(circuitState(ended(tried, ok, 31_000), 31_000)).toEqual({ kind: 'closed' })
  })

  it('a half-open circuit allows another trial if the first trial proves nothing, or has no result within a minute', () => {
    const tried = circuitBegun(opened, 30_000)
    expect(circuitState(ended(tried, neutral, 31_000), 31_000)).toMatchObject({ isTrying: false })
    expect(circuitState(tried, 89_999)).toMatchObject({ isTrying: true })
    expect(circuitState(tried, 90_000)).toMatchObject({ isTrying: false })
  })

  it('a circuit opens for twice as long after each failed trial, up to five minutes', () => {
    let circuit = opened
    let nowMs = 30_000
    const waits: number[] = []
    for (let trial = 0; trial < 6; trial++) {
      circuit = after([[failed('timeout'), nowMs]], circuit)
      const state = circuitState(circuit, nowMs)
      if (state.kind !== 'open') throw new Error(state.kind)
      expect(state.why).toBe('the request that tested it ended with a missed deadline')
      waits.push(state.untilMs - nowMs)
      nowMs = state.untilMs
    }
    expect(waits).toEqual([60_000, 120_000, 240_000, 300_000, 300_000, 300_000])
  })

  it('a circuit opens again if one of the five calls after a successful trial fails', () => {
    const tried = after([[ok, 30_000]], opened)
    expect(circuitState(after([[failed('server_error'), 31_000]], tried), 31_000)).toEqual({
      kind: 'open',
      untilMs: 91_000,
      why: 'soon after the test, a request ended with a provider error (5xx)',
    })
    const four = after([...times(4, ok, 31_000), [neutral, 31_000], [failed('timeout'), 31_000]], tried)
    expect(circuitState(four, 31_000).kind).toBe('open')
    const five = after([...times(5, ok, 31_000), ...times(4, failed('timeout'), 31_000)], tried)
    expect(circuitState(five, 31_000).kind).toBe('closed')
  })

  it('the open time doubles with each consecutive opening, until the circuit has been closed for ten minutes', () => {
    const closed = after(times(6, ok, 30_000), opened)
    const soon = after(times(5, failed('timeout'), 630_000), closed)
    expect(circuitState(soon, 630_000)).toMatchObject({ untilMs: 690_000 })
    const later = after(times(5, failed('timeout'), 630_001), closed)
    expect(circuitState(later, 630_001)).toMatchObject({ untilMs: 660_001 })
  })
})

/**
 * A second implementation of the same rules, which keeps the list of all events as its only state. The time slots only
 * decide which events belong to the last minute.
 */
class NaiveCircuit {
  readonly #answers: { atMs: number; isFailure: boolean }[] = []
  #inRow = 0
  #state: 'closed' | 'open' = 'closed'
  #untilMs = 0
  #pausedUntilMs = 0
  #triedAtMs: number | null = null
  #openings = 0
  #closedAtMs = -Infinity
  /** Number of successes since the last trial. */
  #sinceTrial = Infinity

  state(nowMs: number): string {
    if (this.#state === 'open') {
      if (nowMs < this.#untilMs) return `open until ${this.#untilMs}`
      return this.#triedAtMs !== null && nowMs < this.#triedAtMs + 60_000 ? 'trying' : 'half open'
    }
    return nowMs < this.#pausedUntilMs ? `open until ${this.#pausedUntilMs}` : 'closed'
  }

  begin(nowMs: number): void {
    if (this.state(nowMs) === 'half open') this.#triedAtMs = nowMs
  }

  end(outcome: AttemptOutcome, nowMs: number): void {
    if (this.#state === 'open') {
      if (this.#triedAtMs === null) return
      if (outcome.kind === 'neutral') this.#triedAtMs = null
      else if (outcome.kind === 'failed') this.#open(nowMs, outcome.retryAfterMs)
      else {
        this.#state = 'closed'
        this.#closedAtMs = nowMs
        this.#pausedUntilMs = 0
        this.#inRow = 0
        this.#answers.length = 0
        this.#sinceTrial = 0
      }
      return
    }
    if (outcome.kind === 'neutral') return
    if (outcome.kind === 'failed' && outcome.failure === 'rate_limited' && (outcome.retryAfterMs ?? 0) > 0) {
      this.#pausedUntilMs = Math.max(
        this.#pausedUntilMs,
        nowMs + Math.min(300_000, outcome.retryAfterMs ?? 0),
      )
      return
    }
    this.#answers.push({ atMs: nowMs, isFailure: outcome.kind === 'failed' })
    this.#inRow = outcome.kind === 'failed' ? this.#inRow + 1 : 0
    if (outcome.kind === 'ok') {
      this.#sinceTrial++
      return
    }
    const minute = this.#answers.filter(
      ({ atMs }) => Math.floor(atMs / 10_000) > Math.floor(nowMs / 10_000) - 6,
    )
    const failures = minute.filter(({ isFailure }) => isFailure).length
    const isRefused = outcome.failure === 'credential_rejected' || outcome.failure === 'model_not_found'
    if (
      this.#sinceTrial < 5 ||
      isRefused ||
      this.#inRow >= 5 ||
      (minute.length >= 20 && failures / minute.length >= 1 / 5)
    ) {
      if (nowMs - this.#closedAtMs > 600_000) this.#openings = 0
      this.#open(nowMs, outcome.retryAfterMs)
    }
  }

  #open(nowMs: number, retryAfterMs: number | null): void {
    this.#openings++
    const waitMs = (retryAfterMs ?? 0) > 0 ? (retryAfterMs ?? 0) : 30_000 * 2 ** (this.#openings - 1)
    const pausedUntilMs = this.#state === 'closed' ? this.#pausedUntilMs : 0
    this.#untilMs = Math.max(nowMs + Math.min(300_000, waitMs), pausedUntilMs)
    this.#state = 'open'
    this.#triedAtMs = null
  }
}

function shown(circuit: Circuit, nowMs: number): string {
  const state = circuitState(circuit, nowMs)
  if (state.kind === 'open') return `open until ${state.untilMs}`
  if (state.kind === 'closed') return 'closed'
  return state.isTrying ? 'trying' : 'half open'
}

const anyOutcome = fc.oneof(
  { weight: 6, arbitrary: fc.constant(ok) },
  { weight: 1, arbitrary: fc.constant(neutral) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('failed' as const),
      failure: fc.constantFrom<TargetFailure[]>(
        'connection',
        'connection',
        'timeout',
        'server_error',
        'server_error',
        'rate_limited',
        'credential_rejected',
        'model_not_found',
        'broken_answer',
        'empty_answer',
      ),
      retryAfterMs: fc.option(fc.integer({ min: 0, max: 400_000 }), { freq: 2 }),
    }),
  },
)

it('the circuit behaves like a naive implementation of its rules for any sequence of events', () => {
  const seen = { open: 0, trying: 0, 'half open': 0, closed: 0 }
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          passesMs: fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 120_000 })),
          // Identical calls in a row cause consecutive failures and high failure rates.
          repeats: fc.integer({ min: 1, max: 12 }),
          does: fc.oneof(fc.constant('begin' as const), anyOutcome),
        }),
        { maxLength: 40 },
      ),
      (steps) => {
        let circuit = newCircuit
        const naive = new NaiveCircuit()
        let nowMs = 1_000_000
        for (const { passesMs, repeats, does } of steps) {
          nowMs += passesMs
          for (let time = 0; time < repeats; time++) {
            nowMs += time === 0 ? 0 : 37
            circuit = does === 'begin' ? circuitBegun(circuit, nowMs) : ended(circuit, does, nowMs)
            if (does === 'begin') naive.begin(nowMs)
            else naive.end(does, nowMs)
            const state = shown(circuit, nowMs)
            expect(state).toBe(naive.state(nowMs))
            seen[state.startsWith('open') ? 'open' : (state as 'trying')]++
          }
        }
      },
    ),
    propertyRuns(10_000),
  )
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(1_000)
})

describe('probes of an open circuit', () => {
  const probed = (outcome: AttemptOutcome, nowMs: number, from = opened): Circuit =>
    probeEnded(probeBegun(from, nowMs), outcome, nowMs)

  it('the first probe of an open circuit is sent after three seconds, and each further probe three seconds later, one at a time', () => {
    expect([mayProbe(opened, 2_999), mayProbe(opened, 3_000)]).toEqual([false, true])
    const begun = probeBegun(opened, 3_000)
    expect([mayProbe(begun, 62_999), mayProbe(begun, 63_000)]).toEqual([false, true])
    const probedOnce = probeEnded(begun, failed('server_error'), 4_000)
    expect([mayProbe(probedOnce, 6_999), mayProbe(probedOnce, 7_000)]).toEqual([false, true])
    expect(circuitState(probedOnce, 7_000)).toEqual(circuitState(opened, 7_000))
  })

  it('the first successful probe closes the circuit, and a failure soon after opens it again', () => {
    const closedByProbe = probed(ok, 3_000)
    expect(circuitState(closedByProbe, 3_000)).toEqual({ kind: 'closed' })
    expect(circuitState(after([[failed('server_error'), 3_001]], closedByProbe), 3_001).kind).toBe('open')
  })

  it('no probe is sent before the wait that the provider states has ended', () => {
    const asked = after(times(5, failed('server_error', 20_000), 0))
    expect([mayProbe(asked, 19_999), mayProbe(asked, 20_000)]).toEqual([false, true])
    const again = probed(failed('rate_limited', 9_000), 20_000, asked)
    expect([mayProbe(again, 28_999), mayProbe(again, 29_000)]).toEqual([false, true])
  })

  it('probes are not sent for a rejected credential, an unknown model or a pause after a 429', () => {
    for (const failure of ['credential_rejected', 'model_not_found'] as const) {
      const state = after([[failed(failure), 0]])
      expect([failure, mayProbe(state, 29_000), mayProbe(state, 500_000)]).toEqual([failure, false, false])
      expect(mayProbe(probed(failed(failure), 3_000), 20_000)).toBe(false)
    }
    expect(mayProbe(after([[failed('rate_limited', 60_000), 0]]), 59_000)).toBe(false)
    expect(mayProbe(newCircuit, 0)).toBe(false)
  })

  it('a real call becomes the trial if the provider rejects the probe, or if probes fail for ten minutes', () => {
    expect(circuitState(probed(neutral, 3_000), 3_000)).toMatchObject({
      kind: 'half_open',
      isTrying: false,
      isProbed: false,
    })
    expect(circuitState(opened, 599_999)).toMatchObject({ isProbed: true })
    expect(circuitState(opened, 600_000)).toMatchObject({ isProbed: false })
  })

  it('probes are not sent during a trial call, and do not change a circuit that has closed in the meantime', () => {
    expect(mayProbe(circuitBegun(opened, 30_000), 30_000)).toBe(false)
    const closedMeanwhile = ended(circuitBegun(probeBegun(opened, 30_000), 30_000), ok, 30_001)
    expect(probeEnded(closedMeanwhile, failed('server_error'), 30_002)).toBe(closedMeanwhile)
  })
})
