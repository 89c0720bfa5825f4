import { expect, test } from 'vitest'
import { attemptDeadlines, type Attempted } from './attempt-deadlines.ts'

const usual = { connectMs: 10_000, firstByteMs: 120_000, idleMs: 120_000, totalMs: 3_600_000 }
const stream: Attempted = {
  usual,
  own: null,
  withinMs: 120_000,
  hasAnother: true,
  isStream: true,
  mayReason: false,
  inputTokens: 100,
}

test('an attempt at the last target has the gateway’s own deadlines', () => {
  expect(attemptDeadlines({ ...stream, hasAnother: false })).toBeNull()
  expect(attemptDeadlines({ ...stream, hasAnother: false, own: { idleMs: 5 } })).toEqual({ idleMs: 5 })
})

test('if another target remains, a target that does not respond times out after a third of `withinMs`', () => {
  expect(attemptDeadlines({ ...stream, isStream: false })).toEqual({ firstByteMs: 40_000 })
  expect(attemptDeadlines({ ...stream, isStream: false, withinMs: 60_000 })).toEqual({ firstByteMs: 20_000 })
  expect(attemptDeadlines({ ...stream, isStream: false, withinMs: 3_600_000 })).toEqual({
    firstByteMs: 120_000,
  })
  expect(attemptDeadlines({ ...stream, withinMs: 0 })).toEqual({ firstByteMs: 1, firstTokenMs: 1 })
})

test('a stream has ten seconds until its first text, plus one second for each 10,000 tokens of input', () => {
  expect(attemptDeadlines(stream)).toEqual({ firstByteMs: 40_000, firstTokenMs: 10_010 })
  expect(attemptDeadlines({ ...stream, inputTokens: 50_000 })).toMatchObject({ firstTokenMs: 15_000 })
  expect(attemptDeadlines({ ...stream, inputTokens: 900_000 })).toMatchObject({ firstTokenMs: 40_000 })
})

test('a reasoning model gets a longer deadline until its first byte, and no deadline until its first text', () => {
  expect(attemptDeadlines({ ...stream, mayReason: true })).toEqual({ firstByteMs: 40_000 })
  expect(attemptDeadlines({ ...stream, mayReason: true, isStream: false })).toEqual({ firstByteMs: 80_000 })
})

test('a configured deadline is used unchanged, and a deadline for the first token applies only to streams', () => {
  const own = { firstByteMs: 7, firstTokenMs: 8, connectMs: 9 }
  expect(attemptDeadlines({ ...stream, own, mayReason: true })).toEqual(own)
  expect(attemptDeadlines({ ...stream, own, hasAnother: false })).toEqual(own)
  const whole = { firstByteMs: 7, connectMs: 9 }
  expect(attemptDeadlines({ ...stream, own, isStream: false })).toEqual(whole)
  expect(attemptDeadlines({ ...stream, own, isStream: false, hasAnother: false })).toEqual(whole)
})
