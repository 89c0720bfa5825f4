import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Deadlines } from './call-deadlines.ts'
import { deadlineSweep, type CallClock, type DeadlineSweep } from './deadline-sweep.ts'

const never = Number.MAX_SAFE_INTEGER
const patient = { connectMs: never, firstByteMs: never, idleMs: never, totalMs: never }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function watch(sweep: DeadlineSweep, deadlines: Partial<Deadlines>): { clock: CallClock; log: string[] } {
  const log: string[] = []
  const clock = sweep.watch({ ...patient, ...deadlines }, (phase, ms) => void log.push(`${phase} ${ms}`))
  return { clock, log }
}

function sweepOnFakeTime(): DeadlineSweep {
  return deadlineSweep(() => Date.now())
}

test.each([0, 1, 30, 99].flatMap((offsetMs) => [901, 950, 1000].map((dueMs) => [dueMs, offsetMs] as const)))(
  'a deadline of %i ms, started %i ms after a check, is never early, at most 200 ms late, and reported once',
  (dueMs, offsetMs) => {
    const sweep = sweepOnFakeTime()
    // Another call keeps the timer running, so that the tested calls start between two checks.
    watch(sweep, {})
    vi.advanceTimersByTime(100 + offsetMs)
    const phase = watch(sweep, { connectMs: dueMs })
    const total = watch(sweep, { totalMs: dueMs })
    vi.advanceTimersByTime(dueMs)
    expect([phase.log, total.log]).toEqual([[], []])
    vi.advanceTimersByTime(201)
    const told = [[`connect ${dueMs}`], [`total ${dueMs}`]]
    expect([phase.log, total.log]).toEqual(told)
    vi.advanceTimersByTime(5000)
    expect([phase.log, total.log]).toEqual(told)
  },
)

test('a call that starts after a period without calls still has its full deadline', () => {
  const sweep = sweepOnFakeTime()
  watch(sweep, {}).clock.stop()
  vi.advanceTimersByTime(60_000)
  const { log } = watch(sweep, { connectMs: 1000 })
  vi.advanceTimersByTime(1000)
  expect(log).toEqual([])
  vi.advanceTimersByTime(201)
  expect(log).toEqual(['connect 1000'])
})

test('each phase of a call has its own deadline, and the total deadline covers all phases', () => {
  const sweep = sweepOnFakeTime()
  const { clock, log } = watch(sweep, { connectMs: 500, firstByteMs: 500, idleMs: 500, totalMs: 5000 })
  vi.advanceTimersByTime(400)
  clock.awaitFirstByte()
  vi.advanceTimersByTime(400)
  for (let i = 0; i < 10; i++) {
    clock.touch()
    vi.advanceTimersByTime(400)
  }
  clock.touch()
  expect(log).toEqual([])
  vi.advanceTimersByTime(400)
  expect(log).toEqual(['total 5000'])
})

test.each([
  ['first_byte 300', (clock: CallClock) => clock.awaitFirstByte()],
  ['idle 400', (clock: CallClock) => clock.touch()],
])('a provider that sends nothing is reported as %s', (told, enter) => {
  const { clock, log } = watch(sweepOnFakeTime(), { firstByteMs: 300, idleMs: 400 })
  enter(clock)
  vi.advanceTimersByTime(1000)
  expect(log).toEqual([told])
})

test('a paused call never exceeds its idle deadline, and has the full deadline again when it resumes', () => {
  const { clock, log } = watch(sweepOnFakeTime(), { idleMs: 1000, totalMs: 60_000 })
  clock.touch()
  clock.pause()
  vi.advanceTimersByTime(10_000)
  clock.resume()
  vi.advanceTimersByTime(999)
  expect(log).toEqual([])
  vi.advanceTimersByTime(300)
  expect(log).toEqual(['idle 1000'])
})

test('a paused call still ends at its total deadline', () => {
  const { clock, log } = watch(sweepOnFakeTime(), { idleMs: 100, totalMs: 1000 })
  clock.touch()
  clock.pause()
  vi.advanceTimersByTime(1300)
  expect(log).toEqual(['total 1000'])
})

test('a stopped call receives no more reports, and the timer stops with the last call', () => {
  const sweep = sweepOnFakeTime()
  const { clock, log } = watch(sweep, { connectMs: 10 })
  expect(sweep.size).toBe(1)
  clock.stop()
  clock.stop()
  expect(sweep.size).toBe(0)
  vi.advanceTimersByTime(1000)
  expect(log).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
  const later = watch(sweep, { connectMs: 10 })
  vi.advanceTimersByTime(300)
  expect(later.log).toEqual(['connect 10'])
})

test('after the process was paused, data in the sockets is read before any deadline is checked', () => {
  let nowMs = 0
  const { clock, log } = watch(
    deadlineSweep(() => nowMs),
    { idleMs: 1000 },
  )
  clock.touch()
  nowMs += 60_000
  vi.advanceTimersByTime(100)
  expect(log).toEqual([])
  clock.touch()
  vi.advanceTimersByTime(100)
  expect(log).toEqual([])
})

test('a process whose checks are always late still enforces deadlines', () => {
  let nowMs = 0
  const { log } = watch(
    deadlineSweep(() => nowMs),
    { connectMs: 5000 },
  )
  for (let i = 0; i < 12; i++) {
    nowMs += 600
    vi.advanceTimersByTime(100)
  }
  expect(log).toEqual(['connect 5000'])
})

test('if a deadline ends one call, all other calls continue', () => {
  const sweep = sweepOnFakeTime()
  const log: string[] = []
  const first = sweep.watch({ ...patient, connectMs: 100 }, () => void log.push('first'))
  sweep.watch({ ...patient, connectMs: 100 }, () => {
    log.push('second')
    first.stop()
  })
  watch(sweep, {})
  vi.advanceTimersByTime(500)
  expect(log).toEqual(['first', 'second'])
  expect(sweep.size).toBe(1)
})

test('the deadline for the first text starts with the request, and other data does not extend it', () => {
  const sweep = sweepOnFakeTime()
  const { clock, log } = watch(sweep, { firstTokenMs: 1000 })
  clock.awaitFirstByte()
  for (let i = 0; i < 9; i++) {
    vi.advanceTimersByTime(100)
    clock.touch()
  }
  expect(log).toEqual([])
  vi.advanceTimersByTime(400)
  expect(log).toEqual(['first_token 1000'])
})

test('once the answer has begun, the deadline for its first text no longer applies', () => {
  const sweep = sweepOnFakeTime()
  const { clock, log } = watch(sweep, { firstTokenMs: 1000, idleMs: 9000 })
  clock.awaitFirstByte()
  clock.touch()
  clock.answering()
  vi.advanceTimersByTime(5000)
  expect(log).toEqual([])
})
