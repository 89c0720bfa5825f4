/**
 * Computes which part of an invoice line is earned on each day. On each day that the line pays for, an equal share of
 * the line is earned. Each share is the difference between two rounded cumulative sums, so the shares of all days add
 * up exactly to the line.
 */
import { assertMoney } from './amount.ts'
import { dayMs } from './periods-and-windows.ts'

/** Whole UTC days, which are numbered since 1970. The first day is inclusive and the last day is exclusive. */
export interface DaySpan {
  readonly fromDay: number
  readonly toDay: number
}

/** A line that starts and ends on the same day is earned on that day. */
export function daysOfLine(startsAtMs: number, endsAtMs: number): DaySpan {
  const fromDay = Math.floor(startsAtMs / dayMs)
  return { fromDay, toDay: Math.max(fromDay + 1, Math.floor(endsAtMs / dayMs)) }
}

/** Returns the part of an amount for the days `of` that is earned on the days `within`. The amount may be negative. */
export function earnedWithin(amountMicros: bigint, of: DaySpan, within: DaySpan): bigint {
  const days = of.toDay - of.fromDay
  assertMoney(days > 0, 'earnedWithin: a line has a day')
  const until = (day: number): bigint => {
    const passed = Math.min(Math.max(day - of.fromDay, 0), days)
    return (amountMicros * BigInt(passed)) / BigInt(days)
  }
  return within.toDay <= within.fromDay ? 0n : until(within.toDay) - until(within.fromDay)
}
