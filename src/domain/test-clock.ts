/**
 * The test clock of an application: how far its test mode is ahead of the real time. Whatever follows time in
 * test mode (periods, invoices, caps, limits, the expiry of keys, days of usage) is decided at `timeIn`, and so
 * comes out as if the time had been waited for. Live mode, sign-ins, published prices and ids follow the real
 * time (docs/reference/rules.md "The test clock").
 */
import { boundary } from '#money/period.ts'
import type { Mode } from './account.ts'

/** The clock of an application. */
export interface TestClock {
  /** Milliseconds; 0 until the clock is advanced. It never falls. */
  readonly testClockOffsetMs: number
}

/** So far ahead the clock goes at most. Each month of it has rows of its own, for each person who is asked about. */
const yearsMax = 10

/**
 * The time in a mode of the application. This is the only place where the clock is added.
 * @param nowMs the real time
 */
export function timeIn(mode: Mode, { testClockOffsetMs }: TestClock, nowMs: number): number {
  return mode === 'test' ? nowMs + testClockOffsetMs : nowMs
}

/** The latest time that the clock may be advanced to. @param nowMs the real time */
export function latestTestTime(nowMs: number): number {
  return boundary(nowMs, 'year', yearsMax)
}
