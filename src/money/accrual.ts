/**
 * When a subscription is earned. An invoice charges a plan ahead; each day of the span that a line pays for earns its
 * share. Shares are differences of the floors of cumulative sums, so that the days of a line add up to it, to the micro.
 */
import { assertMoney } from './amount.ts'
import { dayMs } from './period.ts'

/** A line of an invoice over whole days (since 1970, UTC): the first is included, the last is not. */
export interface DaySpan {
  readonly fromDay: number
  readonly toDay: number
}

/** The days that earn a line. A line within one day is earned on that day. */
export function daysOfLine(startsAtMs: number, endsAtMs: number): DaySpan {
  const fromDay = Math.floor(startsAtMs / dayMs)
  return { fromDay, toDay: Math.max(fromDay + 1, Math.floor(endsAtMs / dayMs)) }
}

/** The part of an amount over `of` that is earned on the days of `within`. The amount may be negative. */
export function earnedWithin(amountMicros: bigint, of: DaySpan, within: DaySpan): bigint {
  const days = of.toDay - of.fromDay
  assertMoney(days > 0, 'earnedWithin: a line has a day')
  const until = (day: number): bigint => {
    const passed = Math.min(Math.max(day - of.fromDay, 0), days)
    return (amountMicros * BigInt(passed)) / BigInt(days)
  }
  return within.toDay <= within.fromDay ? 0n : until(within.toDay) - until(within.fromDay)
}
