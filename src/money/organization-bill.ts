/**
 * A bill is a pure function of the stored counts, so computing it again from the same input gives the same bill.
 *
 * An upgrade is charged as the price difference for the remaining days, including the day of the upgrade. The
 * additional included calls do not cover calls of earlier days, so the price of earlier days never changes.
 *
 * For a part of a month, prices and included calls are in proportion to the days. On each line, prices are rounded up
 * once and included calls are rounded down once.
 *
 * Calls that are found after their month was billed become a line of the next bill.
 */
import { assertMoney, ceilDiv } from './amount.ts'
import {
  monthNamed,
  tierNamed,
  type Tier,
  type TierStep,
  type TierTable,
} from './organization-tier-by-day.ts'

export interface BillInput {
  /** Format: `2026-11`. */
  readonly month: string
  readonly table: string
  /** The first range starts on day 0. */
  readonly steps: readonly TierStep[]
  /** Number of members when they were counted for this bill. */
  readonly seats: number
  readonly late: readonly LateCalls[]
}

/** Calls of a month that were found after that month was billed. */
export interface LateCalls {
  readonly month: string
  readonly table: string
  /** `calls` is the number of calls that previous bills contain, and `more` is the number of late calls. */
  readonly steps: readonly (TierStep & { readonly more: number })[]
}

export interface BillLine {
  readonly kind: 'base' | 'upgrade' | 'calls' | 'seats' | 'late_calls'
  readonly month: string
  /** Null for late calls, because their month may have had several tiers. */
  readonly tier: string | null
  readonly days: number
  /**
   * The billed quantity: 1 for a base price; otherwise the number of additional calls, additional members, or late
   * calls.
   */
  readonly quantity: number
  /** Only for lines about calls, and otherwise 0. */
  readonly included: number
  /**
   * Price of one unit for a whole month. The unit is a base price, a thousand calls or a member. Null for late calls,
   * because their month may have had several tiers.
   */
  readonly unitMicros: bigint | null
  readonly amountMicros: bigint
}

export interface Bill {
  readonly month: string
  readonly table: string
  readonly lines: readonly BillLine[]
  readonly totalMicros: bigint
}

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

interface Span {
  readonly month: string
  readonly monthDays: number
  readonly tier: Tier
  /** Null for the first step. */
  readonly before: Tier | null
  readonly days: number
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

/**
 * The included calls of a step cover calls of the step's days and of later days, in the order in which these calls
 * settled.
 */
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
