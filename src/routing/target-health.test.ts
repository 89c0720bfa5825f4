import { describe, expect, it } from 'vitest'
import type { AttemptOutcome } from './circuit.ts'
import { TargetHealth } from './target-health.ts'

const ok = (firstTokenMs: number | null = null): AttemptOutcome => ({ kind: 'ok', firstTokenMs })
const failed: AttemptOutcome = { kind: 'failed', failure: 'connection', retryAfterMs: null }
const nothing = { inFlight: 0, firstTokenMs: null, circuit: { kind: 'closed' } }

function call(health: TargetHealth, key: string, outcome: AttemptOutcome, nowMs: number): void {
  health.begin({ key }, nowMs)
  health.end({ key }, outcome, nowMs)
}

describe('calls in flight', () => {
  it('are the calls that have begun and not ended, with any end', () => {
    const health = new TargetHealth()
    for (let time = 0; time < 3; time++) health.begin({ key: 'a' }, 0)
    expect(health.of({ key: 'a' }, 0).inFlight).toBe(3)
    health.end({ key: 'a' }, ok(), 1)
    health.end({ key: 'a' }, failed, 1)
    expect(health.of({ key: 'a' }, 1).inFlight).toBe(1)
    health.end({ key: 'a' }, { kind: 'neutral' }, 1)
    expect(health.of({ key: 'a' }, 1)).toEqual(nothing)
  })

  it('are never negative, and targets that were never called have no data', () => {
    const health = new TargetHealth()
    health.end({ key: 'a' }, ok(9), 0)
    expect(health.of({ key: 'a' }, 0)).toEqual(nothing)
    expect(health.all(0)).toEqual([])
    call(health, 'a', ok(), 0)
    health.end({ key: 'a' }, ok(), 0)
    expect(health.of({ key: 'a' }, 0).inFlight).toBe(0)
  })
})

describe('the time to the first token', () => {
  it('is the mean of calls at one moment', () => {
    const health = new TargetHealth()
    for (const ms of [100, 200, 600]) call(health, 'a', ok(ms), 0)
    expect(health.of({ key: 'a' }, 0).firstTokenMs).toBeCloseTo(300, 6)
  })

  it('halves the weight of old calls in thirty seconds', () => {
    const health = new TargetHealth()
    call(health, 'a', ok(100), 0)
    call(health, 'a', ok(400), 30_000)
    expect(health.of({ key: 'a' }, 30_000).firstTokenMs).toBeCloseTo((100 / 2 + 400) / 1.5, 6)
  })

  it('is unknown after five minutes without a call, and ignores failures and calls that are not streams', () => {
    const health = new TargetHealth()
    call(health, 'a', ok(100), 0)
    call(health, 'a', ok(null), 1)
    call(health, 'a', failed, 2)
    expect(health.of({ key: 'a' }, 299_999).firstTokenMs).toBe(100)
    expect(health.of({ key: 'a' }, 300_000).firstTokenMs).toBeNull()
  })
})

describe('circuits', () => {
  it('are separate for each account and model, and half-open circuits let one call try', () => {
    const health = new TargetHealth()
    for (let time = 0; time < 5; time++) call(health, 'a', failed, 0)
    expect(health.of({ key: 'a' }, 0).circuit.kind).toBe('open')
    expect(health.of({ key: 'b' }, 0).circuit.kind).toBe('closed')
    expect(health.of({ key: 'a' }, 30_000).circuit).toMatchObject({ kind: 'half_open', isTrying: false })
    health.begin({ key: 'a' }, 30_000)
    expect(health.of({ key: 'a' }, 30_000).circuit).toMatchObject({ kind: 'half_open', isTrying: true })
    health.end({ key: 'a' }, ok(), 31_000)
    expect(health.of({ key: 'a' }, 31_000).circuit.kind).toBe('closed')
  })
})

describe('the memory', () => {
  it('drops the target that has been idle longest, and no target with a call in flight', () => {
    const health = new TargetHealth(3)
    health.begin({ key: 'busy' }, 0)
    call(health, 'old', ok(5), 1)
    call(health, 'young', ok(5), 2)
    call(health, 'new', ok(5), 3)
    expect(health.all(3).map(({ key }) => key)).toEqual(['busy', 'young', 'new'])
    for (const key of ['young', 'new', 'newer']) health.begin({ key }, 4)
    expect(health.all(4).map(({ key }) => key)).toEqual(['busy', 'young', 'new', 'newer'])
  })

  it('is limited for any number of keys', () => {
    const health = new TargetHealth(100)
    for (let key = 0; key < 5_000; key++) call(health, `k${key}`, ok(5), key)
    expect(health.all(5_000)).toHaveLength(100)
  })

  it('lists each target with its data', () => {
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

  it('is used immediately, although the old credential was rejected', () => {
    const health = new TargetHealth()
    health.begin(before, 0)
    health.begin(before, 0)
    health.end(before, rejected, 1)
    expect(health.of(before, 1).circuit.kind).toBe('open')
    expect(health.of(after, 1)).toEqual({ ...nothing, inFlight: 1 })
    expect(health.inFlight('a')).toBe(1)
  })

  it('ignores the results of calls and probes that began with the old credential', () => {
    const health = new TargetHealth()
    health.begin(before, 0)
    health.begin(after, 1)
    health.end(before, rejected, 2)
    health.probed(before, rejected, 2)
    expect(health.of(after, 2)).toEqual({ ...nothing, inFlight: 1 })
    health.end(after, ok(7), 3)
    expect(health.of(after, 3)).toEqual({ ...nothing, firstTokenMs: 7 })
  })
})
