import { describe, expect, it } from 'vitest'
import type { AttemptOutcome } from './circuit-breaker.ts'
import { TargetHealth } from './target-health.ts'

const ok = (firstTokenMs: number | null = null): AttemptOutcome => ({ kind: 'ok', firstTokenMs })
const failed: AttemptOutcome = { kind: 'failed', failure: 'connection', retryAfterMs: null }
const nothing = { inFlight: 0, firstTokenMs: null, circuit: { kind: 'closed' } }

function call(health: TargetHealth, key: string, outcome: AttemptOutcome, nowMs: number): void {
  health.end(health.begin({ key }, nowMs), outcome, nowMs)
}

describe('calls in flight', () => {
  it('a call counts as in flight from its beginning until it ends in any way', () => {
    const health = new TargetHealth()
    const begin = () => health.begin({ key: 'a' }, 0)
    const [first, second, third] = [begin(), begin(), begin()]
    expect(health.of({ key: 'a' }, 0).inFlight).toBe(3)
    health.end(first, ok(), 1)
    health.end(second, failed, 1)
    expect(health.of({ key: 'a' }, 1).inFlight).toBe(1)
    health.end(third, { kind: 'neutral' }, 1)
    expect(health.of({ key: 'a' }, 1)).toEqual(nothing)
  })

  it('the number of calls in flight is never negative, and a target that was never called has no data', () => {
    const health = new TargetHealth()
    health.end({ key: 'a', openingsBefore: 0 }, ok(9), 0)
    expect(health.of({ key: 'a' }, 0)).toEqual(nothing)
    expect(health.all(0)).toEqual([])
    call(health, 'a', ok(), 0)
    health.end({ key: 'a', openingsBefore: 0 }, ok(), 0)
    expect(health.of({ key: 'a' }, 0).inFlight).toBe(0)
  })
})

describe('the time to the first token', () => {
  it('for calls at the same moment, the time to the first token is their average', () => {
    const health = new TargetHealth()
    for (const ms of [100, 200, 600]) call(health, 'a', ok(ms), 0)
    expect(health.of({ key: 'a' }, 0).firstTokenMs).toBeCloseTo(300, 6)
  })

  it('the weight of a call in the average time to the first token halves every thirty seconds', () => {
    const health = new TargetHealth()
    call(health, 'a', ok(100), 0)
    call(health, 'a', ok(400), 30_000)
    expect(health.of({ key: 'a' }, 30_000).firstTokenMs).toBeCloseTo((100 / 2 + 400) / 1.5, 6)
  })

  it('the time to the first token is unknown after five minutes without a call, and does not depend on failures and non-streaming calls', () => {
    const health = new TargetHealth()
    call(health, 'a', ok(100), 0)
    call(health, 'a', ok(null), 1)
    call(health, 'a', failed, 2)
    expect(health.of({ key: 'a' }, 299_999).firstTokenMs).toBe(100)
    expect(health.of({ key: 'a' }, 300_000).firstTokenMs).toBeNull()
  })
})

describe('the circuits of targets', () => {
  it('each account and model has its own circuit, and a half-open circuit allows one trial call', () => {
    const health = new TargetHealth()
    for (let time = 0; time < 5; time++) call(health, 'a', failed, 0)
    expect(health.of({ key: 'a' }, 0).circuit.kind).toBe('open')
    expect(health.of({ key: 'b' }, 0).circuit.kind).toBe('closed')
    expect(health.of({ key: 'a' }, 30_000).circuit).toMatchObject({ kind: 'half_open', isTrying: false })
    const trial = health.begin({ key: 'a' }, 30_000)
    expect(health.of({ key: 'a' }, 30_000).circuit).toMatchObject({ kind: 'half_open', isTrying: true })
    health.end(trial, ok(), 31_000)
    expect(health.of({ key: 'a' }, 31_000).circuit.kind).toBe('closed')
  })

  it('if the clock is set back by an hour, an open circuit, a trial and a probe take no longer', () => {
    const hourMs = 3_600_000
    const health = new TargetHealth()
    for (let time = 0; time < 5; time++) call(health, 'a', failed, hourMs)
    expect(health.of({ key: 'a' }, 1_000).circuit.kind).toBe('open')
    expect(health.beginProbe({ key: 'a' }, 3_999)).toBe(false)
    expect(health.beginProbe({ key: 'a' }, 4_000)).toBe(true)
    health.probed({ key: 'a' }, failed, 4_000)
    expect(health.of({ key: 'a' }, 30_999).circuit.kind).toBe('open')
    expect(health.of({ key: 'a' }, 31_000).circuit).toMatchObject({ kind: 'half_open', isTrying: false })
    health.begin({ key: 'a' }, 31_000)
    expect(health.of({ key: 'a' }, 31_000 - hourMs).circuit).toMatchObject({ isTrying: true })
    expect(health.of({ key: 'a' }, 91_000 - hourMs).circuit).toMatchObject({ isTrying: false })
  })

  it('if the clock is set back by less than a second, all times stay the same', () => {
    const health = new TargetHealth()
    for (let time = 0; time < 5; time++) call(health, 'a', failed, 10_000)
    expect(health.of({ key: 'a' }, 9_001).circuit).toMatchObject({ kind: 'open', untilMs: 40_000 })
    expect(health.of({ key: 'a' }, 40_000).circuit.kind).toBe('half_open')
  })

  it('a call that hangs since the outage neither ends the trial nor reopens the circuit after the trial', () => {
    const health = new TargetHealth()
    const [left, late, later] = Array.from({ length: 3 }, () => health.begin({ key: 'a' }, 0))
    for (let time = 0; time < 5; time++) call(health, 'a', failed, 1)
    const trial = health.begin({ key: 'a' }, 30_001)
    if (left) health.end(left, { kind: 'neutral' }, 31_000)
    if (late) health.end(late, failed, 31_000)
    expect(health.of({ key: 'a' }, 31_000).circuit).toMatchObject({ kind: 'half_open', isTrying: true })
    health.end(trial, ok(), 32_000)
    if (later) health.end(later, failed, 33_000)
    expect(health.of({ key: 'a' }, 33_000)).toEqual(nothing)
  })
})

describe('the memory for target health', () => {
  it('if the memory is full, a new target replaces the target whose last call began longest ago, but never a target with a call in flight', () => {
    const health = new TargetHealth(3)
    health.begin({ key: 'busy' }, 0)
    call(health, 'old', ok(5), 1)
    call(health, 'young', ok(5), 2)
    call(health, 'new', ok(5), 3)
    expect(health.all(3).map(({ key }) => key)).toEqual(['busy', 'young', 'new'])
    for (const key of ['young', 'new', 'newer']) health.begin({ key }, 4)
    expect(health.all(4).map(({ key }) => key)).toEqual(['busy', 'young', 'new', 'newer'])
  })

  it('targets without a call in flight never exceed the limit of the memory, however many accounts and models calls use', () => {
    const health = new TargetHealth(100)
    for (let key = 0; key < 5_000; key++) call(health, `k${key}`, ok(5), key)
    expect(health.all(5_000)).toHaveLength(100)
  })

  it('the health report lists each target with its calls in flight, its time to the first token and its circuit', () => {
    const health = new TargetHealth()
    call(health, 'a', ok(50), 0)
    health.begin({ key: 'b' }, 0)
    expect(health.all(0)).toEqual([
      { key: 'a', inFlight: 0, firstTokenMs: 50, circuit: { kind: 'closed' } },
      { key: 'b', inFlight: 1, firstTokenMs: null, circuit: { kind: 'closed' } },
    ])
  })
})

describe('a changed address or credential', () => {
  const before = { key: 'a', access: 'first' }
  const after = { key: 'a', access: 'second' }
  const rejected: AttemptOutcome = { kind: 'failed', failure: 'credential_rejected', retryAfterMs: null }

  it('a changed credential is used immediately, although the old credential was rejected', () => {
    const health = new TargetHealth()
    health.begin(before, 0)
    health.end(health.begin(before, 0), rejected, 1)
    expect(health.of(before, 1).circuit.kind).toBe('open')
    expect(health.of(after, 1)).toEqual({ ...nothing, inFlight: 1 })
    expect(health.inFlight('a')).toBe(1)
  })

  it('the results of calls and probes that began with the old credential are ignored', () => {
    const health = new TargetHealth()
    const old = health.begin(before, 0)
    const young = health.begin(after, 1)
    health.end(old, rejected, 2)
    health.probed(before, rejected, 2)
    expect(health.of(after, 2)).toEqual({ ...nothing, inFlight: 1 })
    health.end(young, ok(7), 3)
    expect(health.of(after, 3)).toEqual({ ...nothing, firstTokenMs: 7 })
  })
})
