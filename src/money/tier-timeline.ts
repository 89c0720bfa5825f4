/**
 * Which tier an organization is on, day by day. A move to a dearer tier holds from the day of the move; a move
 * to a cheaper one from the first day of the next month. So within a month the tier only rises, and moving to
 * and fro in it comes to the dearest tier so far.
 */
import { assertMoney } from './amount.ts'
import { dayMs } from './period.ts'

/** What an organization pays for on one tier, in a calendar month. */
export interface Tier {
  readonly name: string
  readonly baseMicros: bigint
  /** Settled calls that the base pays for. */
  readonly includedCalls: number
  /** Micros per thousand further ones. */
  readonly perThousandCallsMicros: bigint
  /** Members that the base pays for. */
  readonly includedSeats: number
  /** Micros for each further member. */
  readonly perSeatMicros: bigint
}

/** The tiers of a time, the cheapest first; an organization begins on the first. */
export interface TierTable {
  readonly version: string
  readonly tiers: readonly [Tier, ...Tier[]]
}

/** From that day (days since 1970, UTC) the organization is on the tier. */
export interface TierChange {
  readonly fromDay: number
  readonly tier: string
}

/** The days of a month from `day` on (0 is its first) on one tier, and the live calls that settled on them. */
export interface TierStep {
  readonly tier: string
  readonly day: number
  readonly calls: number
}

/** A calendar month, UTC. */
export interface BillingMonth {
  /** `2026-11`. */
  readonly name: string
  /** Days since 1970. */
  readonly firstDay: number
  readonly days: number
}

/** @throws when the name is no month */
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
 * The change that a move to a tier makes today; null: the organization is on it. Changes of later days are
 * dropped either way: the last word counts.
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
  const isDearer = rankOf(tier) > rankOf(present)
  return { tier, fromDay: isDearer ? today : monthAfter(monthOfDay(today)).firstDay }
}

/**
 * The steps of a month: the tier of its first day, then each dearer one.
 * @param changes in the order of their days
 * @param callsOn the live calls that settled on a day (days since 1970)
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
