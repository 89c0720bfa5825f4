/**
 * What an organization pays for a calendar month: a pure function of what was counted, so that the same input
 * makes the same bill whenever it is computed again.
 *
 * A move to a dearer tier buys the difference for the days that are left, its own day included: so much of the
 * base more, and so many included calls more, which pay for calls from that day on. It never makes earlier calls
 * dearer, and its included calls never pay for them: moving late in a month gains nothing over its price.
 * A share of days is of the whole month; what is owed is rounded up, what is included down, once a line.
 *
 * Calls that are found after their month was billed are a line of the next bill: what they would have added.
 */
import { assertMoney, ceilDiv } from './amount.ts'
import { monthNamed, tierNamed, type Tier, type TierStep, type TierTable } from './tier-timeline.ts'

/** All that a bill is computed from. */
export interface BillInput {
  /** `2026-11`. */
  readonly month: string
  /** Version of the tier table. */
  readonly table: string
  /** The first is of day 0. */
  readonly steps: readonly TierStep[]
  /** Members when it was counted. */
  readonly seats: number
  readonly late: readonly LateCalls[]
}

/** Calls of a month that were found after its bill. */
export interface LateCalls {
  readonly month: string
  readonly table: string
  /** `calls` as all bills before this one have counted them, and how many there are `more`. */
  readonly steps: readonly (TierStep & { readonly more: number })[]
}

export interface BillLine {
  readonly kind: 'base' | 'upgrade' | 'calls' | 'seats' | 'late_calls'
  /** The month that it is for. */
  readonly month: string
  /** Null of late calls: their month may have had several. */
  readonly tier: string | null
  /** The days that it is for. */
  readonly days: number
  /** 1 of a base; calls that are not included, further members, late calls. */
  readonly quantity: number
  /** Included calls that were used; 0 of other lines. */
  readonly included: number
  /** For one base, a thousand calls or a member, of a whole month; null of late calls, as `tier`. */
  readonly unitMicros: bigint | null
  readonly amountMicros: bigint
}

export interface Bill {
  readonly month: string
  readonly table: string
  readonly lines: readonly BillLine[]
  readonly totalMicros: bigint
}

/** @param tableOf the tier table of a version */
export function bill(input: BillInput, tableOf: (version: string) => TierTable): Bill {
  const spans = spansOf(input, tableOf(input.table))
  const lines = [
    ...baseLines(spans),
    ...callLines(spans),
    ...spans.flatMap((span) => seatLine(span, input.seats) ?? []),
    ...input.late.map((late) => lateLine(late, tableOf(late.table))),
  ]
  const totalMicros = lines.reduce((sum, { amountMicros }) => sum + amountMicros, 0n)
  return { month: input.month, table: input.table, lines, totalMicros }
}

/** A step with its terms. */
interface Span {
  readonly month: string
  readonly monthDays: number
  readonly tier: Tier
  /** The tier before; null of the first. */
  readonly before: Tier | null
  /** Until the next step. */
  readonly days: number
  /** Until the end of the month. */
  readonly daysLeft: number
  readonly calls: number
}

function spansOf({ month, steps }: Pick<BillInput, 'month' | 'steps'>, table: TierTable): readonly Span[] {
  const { days: monthDays } = monthNamed(month)
  assertMoney(steps[0]?.day === 0, 'spansOf: the first step is of the first day')
  return steps.map(({ calls, day, tier }, i) => {
    const last = steps[i - 1]
    const endDay = steps[i + 1]?.day ?? monthDays
    assertMoney(day < endDay && endDay <= monthDays, 'spansOf: steps are in order and within the month')
    return {
      month,
      monthDays,
      tier: tierNamed(table, tier),
      before: last === undefined ? null : tierNamed(table, last.tier),
      days: endDay - day,
      daysLeft: monthDays - day,
      calls,
    }
  })
}

function baseLines(spans: readonly Span[]): BillLine[] {
  return spans.map(({ before, daysLeft, month, monthDays, tier }) => {
    const unitMicros = tier.baseMicros - (before?.baseMicros ?? 0n)
    return {
      kind: before === null ? 'base' : 'upgrade',
      month,
      tier: tier.name,
      days: daysLeft,
      quantity: 1,
      included: 0,
      unitMicros,
      amountMicros: ceilDiv(unitMicros * BigInt(daysLeft), BigInt(monthDays)),
    }
  })
}

/** Included calls pay for calls of their own days and later ones, in the order in which the calls settled. */
function callLines(spans: readonly Span[]): BillLine[] {
  let left = 0
  return spans.map(({ before, calls, days, daysLeft, month, monthDays, tier }) => {
    left += Math.floor(((tier.includedCalls - (before?.includedCalls ?? 0)) * daysLeft) / monthDays)
    const included = Math.min(calls, left)
    left -= included
    const unitMicros = tier.perThousandCallsMicros
    const quantity = calls - included
    const amountMicros = ceilDiv(BigInt(quantity) * unitMicros, 1_000n)
    return { kind: 'calls', month, tier: tier.name, days, quantity, included, unitMicros, amountMicros }
  })
}

/** Null: the base pays for every member. */
function seatLine({ days, month, monthDays, tier }: Span, seats: number): BillLine | null {
  const quantity = seats - tier.includedSeats
  if (quantity <= 0) return null
  const unitMicros = tier.perSeatMicros
  const amountMicros = ceilDiv(BigInt(quantity) * unitMicros * BigInt(days), BigInt(monthDays))
  return { kind: 'seats', month, tier: tier.name, days, quantity, included: 0, unitMicros, amountMicros }
}

function lateLine({ month, steps }: LateCalls, table: TierTable): BillLine {
  const owed = (of: readonly TierStep[]): bigint =>
    callLines(spansOf({ month, steps: of }, table)).reduce((sum, { amountMicros }) => sum + amountMicros, 0n)
  const withLate = steps.map((step) => ({ ...step, calls: step.calls + step.more }))
  return {
    kind: 'late_calls',
    month,
    tier: null,
    days: monthNamed(month).days,
    quantity: steps.reduce((sum, { more }) => sum + more, 0),
    included: 0,
    unitMicros: null,
    amountMicros: owed(withLate) - owed(steps),
  }
}
