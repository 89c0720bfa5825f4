/**
 * An upgrade to a more expensive tier takes effect on the day of the change. A downgrade takes effect on the first day
 * of the next month. Within a month, the tier can therefore only rise, even if the organization switches back and
 * forth.
 */
import { assertMoney } from './amount.ts'
import { dayMs } from './periods-and-windows.ts'

/** All prices and quantities are per calendar month. */
export interface Tier {
  readonly name: string
  readonly baseMicros: bigint
  /** In settled calls. */
  readonly includedCalls: number
  /** Price per thousand additional calls, in micros. */
  readonly perThousandCallsMicros: bigint
  readonly includedSeats: number
  /** Price per additional member, in micros. */
  readonly perSeatMicros: bigint
}

/** The cheapest tier is first. An organization starts on the first tier. */
export interface TierTable {
  readonly version: string
  readonly tiers: readonly [Tier, ...Tier[]]
}

/** In days since 1970 (UTC). */
export interface TierChange {
  readonly fromDay: number
  readonly tier: string
}

/**
 * A range of days in a month on one tier, with the number of live calls that settled on these days. The range starts at
 * `day` (0 is the first day).
 */
export interface TierStep {
  readonly tier: string
  readonly day: number
  readonly calls: number
}

export interface BillingMonth {
  /** Format: `2026-11`. */
  readonly name: string
  /** In days since 1970. */
  readonly firstDay: number
  readonly days: number
}

/** @throws if the name is not a month */
export function monthNamed(name: string): BillingMonth {
  const { month = '', year = '' } = /^(?<year>\d{4})-(?<month>0[1-9]|1[0-2])$/.exec(name)?.groups ?? {}
  assertMoney(year !== '', 'monthNamed: a month is written YYYY-MM')
  const startsAtMs = Date.UTC(Number(year), Number(month) - 1)
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return { name, firstDay: startsAtMs / dayMs, days }
}

export function monthOfDay(day: number): BillingMonth {
  return monthNamed(new Date(day * dayMs).toISOString().slice(0, 7))
}

export function monthAfter({ days, firstDay }: BillingMonth): BillingMonth {
  return monthOfDay(firstDay + days)
}

export function tierNamed({ tiers, version }: TierTable, name: string): Tier {
  const tier = tiers.find((one) => one.name === name)
  assertMoney(tier !== undefined, `tierNamed: the table ${version} has the tier ${name}`)
  return tier
}

/** @param changes in the order of their days */
export function tierOn(changes: readonly TierChange[], day: number, table: TierTable): string {
  return changes.findLast(({ fromDay }) => fromDay <= day)?.tier ?? table.tiers[0].name
}

/**
 * Returns the change that results if the organization selects a tier today. Null if the organization is already on the
 * tier. Even if the result is null, the caller drops changes for later days, because the last selection applies.
 */
export function moveTo(
  tier: string,
  changes: readonly TierChange[],
  today: number,
  table: TierTable,
): TierChange | null {
  const rankOf = (name: string): number => table.tiers.findIndex((one) => one.name === name)
  const present = tierOn(changes, today, table)
  if (tier === present) return null
  const isMoreExpensive = rankOf(tier) > rankOf(present)
  return { tier, fromDay: isMoreExpensive ? today : monthAfter(monthOfDay(today)).firstDay }
}

/**
 * The first step has the tier of the first day, and each further step a more expensive tier.
 * @param changes the tier changes in the order of their days
 * @param callsOn returns the live calls that settled on a day (days since 1970)
 */
export function stepsOf(
  changes: readonly TierChange[],
  { days, firstDay }: BillingMonth,
  callsOn: (day: number) => number,
  table: TierTable,
): readonly TierStep[] {
  const within = changes.filter(({ fromDay }) => fromDay > firstDay && fromDay < firstDay + days)
  const starts = [{ fromDay: firstDay, tier: tierOn(changes, firstDay, table) }, ...within]
  return starts.map(({ fromDay, tier }, i) => {
    const endDay = starts[i + 1]?.fromDay ?? firstDay + days
    let calls = 0
    for (let day = fromDay; day < endDay; day++) calls += callsOn(day)
    return { tier, day: fromDay - firstDay, calls }
  })
}
