import { expect, it } from 'vitest'
import { daysOfText, faultOfTime, fieldOfTime, stepsFrom, timeOfField } from './test-clock-times.ts'

const clock = { now: '2026-12-31T23:59:30.000Z', latest: '2036-12-31T00:00:00.000Z' }

it('the steps advance the clock by a week, or to the first midnight of the next month', () => {
  const steps = Object.fromEntries(stepsFrom(clock.now))
  expect(steps['To the next month']).toBe('2027-01-01T00:00:00.000Z')
  expect(steps['1 week']).toBe('2027-01-07T23:59:30.000Z')
})

it('a time is converted to a field and back, rounded up to the minute', () => {
  const field = fieldOfTime(clock.now)
  expect(field).toBe('2027-01-01T00:00')
  expect(timeOfField(field)).toBe('2027-01-01T00:00:00.000Z')
  expect(timeOfField('soon')).toBeNull()
})

it('the error says why a time is too early or too late', () => {
  expect(faultOfTime(clock.now, clock)).toContain('later than')
  expect(faultOfTime('2026-12-31T23:59:31.000Z', clock)).toBeUndefined()
  expect(faultOfTime(clock.latest, clock)).toBeUndefined()
  expect(faultOfTime('2036-12-31T00:00:01.000Z', clock)).toContain('ten years')
  expect(faultOfTime(null, clock)).toContain('Choose')
})

it('durations are formatted in days, hours and minutes', () => {
  expect(daysOfText(26 * 3_600_000)).toBe('1 day 2 h')
  expect(daysOfText(65 * 60_000)).toBe('1 h 5 min')
  expect(daysOfText(59_000)).toBe('less than a minute')
})
