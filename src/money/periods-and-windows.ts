/**
 * All times are UTC. A period ends at the instant at which the next period starts, so periods have no gaps and no
 * overlaps.
 *
 * Every boundary is computed from the anchor, never from the previous boundary. An anchor on January 31 gives February
 * 28 and then March 31. If one month were added to the previous boundary, all later boundaries would be on the 28th.
 */
import { assertMoney } from './amount.ts'

export type Interval = 'month' | 'year'
export type Window = 'day' | 'week' | 'month' | 'total'

export interface Period {
  /** 0 is the period that starts at the anchor. */
  readonly index: number
  readonly startsAtMs: number
  readonly endsAtMs: number
}

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs
const weekMs = 7 * dayMs
/** The first Monday after the start of 1970, which was a Thursday. */
const firstMondayMs = 4 * dayMs
/** The end of the year 9999, because later times do not fit the four-digit year of ISO 8601. */
const instantMaxMs = 253_402_300_799_999

/** Returns the instant n intervals after the anchor. If the month is too short, the result is on its last day. */
export function boundary(anchorMs: number, interval: Interval, n: number): number {
  assertMoney(isInstant(anchorMs), 'boundary: the anchor is an instant')
  assertMoney(Number.isSafeInteger(n), 'boundary: n is a whole number')
  const anchor = new Date(anchorMs)
  const month = anchor.getUTCMonth() + (interval === 'year' ? 12 * n : n)
  const year = anchor.getUTCFullYear()
  // Day 0 of the next month is the last day of this month.
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const timeOfDayMs = anchorMs % dayMs
  const atMs = Date.UTC(year, month, Math.min(anchor.getUTCDate(), lastDay)) + timeOfDayMs
  assertMoney(Number.isSafeInteger(atMs), 'boundary: the calendar reaches that far')
  return atMs
}

/** The index is negative before the anchor. */
export function periodAt(anchorMs: number, interval: Interval, nowMs: number): Period {
  assertMoney(isInstant(nowMs), 'periodAt: now is an instant')
  const anchor = new Date(anchorMs)
  const now = new Date(nowMs)
  const years = now.getUTCFullYear() - anchor.getUTCFullYear()
  const sameCalendar = interval === 'year' ? years : 12 * years + now.getUTCMonth() - anchor.getUTCMonth()
  // The boundary is in the calendar month (or year) of `nowMs`, so it either starts or ends the period.
  const index = boundary(anchorMs, interval, sameCalendar) <= nowMs ? sameCalendar : sameCalendar - 1
  const period = {
    index,
    startsAtMs: boundary(anchorMs, interval, index),
    endsAtMs: boundary(anchorMs, interval, index + 1),
  }
  assertMoney(period.startsAtMs <= nowMs && nowMs < period.endsAtMs, 'periodAt: now is in the period')
  return period
}

export interface CalendarWindow {
  readonly startsAtMs: number
  readonly endsAtMs: number | null
}

/** Weeks start on Monday. */
export function calendarWindow(window: Window, nowMs: number): CalendarWindow {
  assertMoney(isInstant(nowMs), 'calendarWindow: now is an instant')
  if (window === 'total') return { startsAtMs: 0, endsAtMs: null }
  if (window === 'month') {
    const now = new Date(nowMs)
    const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
    return { startsAtMs: Date.UTC(year, month), endsAtMs: Date.UTC(year, month + 1) }
  }
  const lengthMs = window === 'day' ? dayMs : weekMs
  const sinceMs = window === 'day' ? nowMs : nowMs - firstMondayMs + weekMs
  const startsAtMs = nowMs - (sinceMs % lengthMs)
  return { startsAtMs, endsAtMs: startsAtMs + lengthMs }
}

function isInstant(ms: number): boolean {
  return Number.isSafeInteger(ms) && ms >= 0 && ms <= instantMaxMs
}
