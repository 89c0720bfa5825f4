/**
 * The test clock of an application determines how far the application's test mode is ahead of the real time. Everything
 * in test mode that depends on time (periods, invoices, caps, limits, the expiry of keys, days of usage) uses `timeIn`.
 * Live mode, sign-ins, published prices and IDs use the real time (docs/reference/rules.md "The test clock").
 */
import { boundary } from '#money/periods-and-windows.ts'
import type { Mode } from '#domain/billing/money-account-key.ts'

export interface TestClock {
  /** The offset is 0 until the clock is advanced, and never decreases. */
  readonly testClockOffsetMs: number
}

/** The offset is limited because each month of the offset adds rows for each end user whose data is read. */
const yearsMax = 10

/**
 * Only this function adds the clock's offset.
 * @param nowMs the real time
 */
export function timeIn(mode: Mode, { testClockOffsetMs }: TestClock, nowMs: number): number {
  return mode === 'test' ? nowMs + testClockOffsetMs : nowMs
}

/** Returns the latest time to which the clock may be advanced. @param nowMs the real time */
export function latestTestTime(nowMs: number): number {
  return boundary(nowMs, 'year', yearsMax)
}
