import type { IssuedBill } from '#domain/billing/organization-bills.ts'
import type { Organization } from '#domain/organization-record.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { Nouns } from '#domain/store-interface.ts'
import { tierTableIn, tierTableOf } from '#domain/fees-of-organization-tiers.ts'
import { bill, type Bill, type BillInput, type LateCalls } from '#money/organization-bill.ts'
import { monthNamed, stepsOf, type BillingMonth, type TierStep } from '#money/organization-tier-by-day.ts'
import { seatsOf } from './billed-seats.ts'

/**
 * A request that settles late is on one of this many bills after its month's bill. If it settles even later, it is
 * never billed, but this can happen only if its process was stopped for months.
 */
const lateBillsMax = 3

/**
 * Counts the requests of a month as they are stored now, including requests of earlier months that settled after their
 * month's bill.
 */
export async function countBill(
  { id }: Pick<Organization, 'id'>,
  month: BillingMonth,
  store: Pick<Nouns, 'bills' | 'members'>,
): Promise<BillInput> {
  const table = tierTableIn(month.name)
  const issued = (await store.bills.issued(id)).filter((one) => one.month < month.name)
  const recent = issued.slice(0, lateBillsMax)
  const fromDay = monthNamed(recent.at(-1)?.month ?? month.name).firstDay
  const calls = new Map<number, number>()
  const endDay = month.firstDay + month.days
  for (const day of await store.bills.settledCalls(id, fromDay, endDay)) calls.set(day.day, day.calls)
  const callsOn = (day: number): number => calls.get(day) ?? 0
  return {
    month: month.name,
    table: table.version,
    steps: stepsOf(await store.bills.tierChanges(id), month, callsOn, table),
    seats: await seatsOf(store, id),
    late: recent.toReversed().flatMap((one) => lateCalls(one, issued, callsOn) ?? []),
  }
}

export function computeBill(input: BillInput): { readonly bill: Bill; readonly digest: string } {
  const made = bill(input, tierTableOf)
  const text = JSON.stringify(made, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  return { bill: made, digest: sha256(text) }
}

export function countedCalls({ late, steps }: BillInput): number {
  return (
    steps.reduce((sum, { calls }) => sum + calls, 0) +
    late.reduce((sum, of) => sum + of.steps.reduce((all, { more }) => all + more, 0), 0)
  )
}

/**
 * The requests of the month that are on no bill, because they settled after the bill was issued. Null if every request
 * of the month is on a bill.
 */
function lateCalls(
  { input, month }: IssuedBill,
  issued: readonly IssuedBill[],
  callsOn: (day: number) => number,
): LateCalls | null {
  const noted = issued.flatMap((later) => later.input.late.filter((late) => late.month === month))
  const { days, firstDay } = monthNamed(month)
  const steps = input.steps.map(({ calls, day, tier }, i): TierStep & { more: number } => {
    const billed = noted.reduce((sum, late) => sum + (late.steps[i]?.more ?? 0), calls)
    const endDay = input.steps[i + 1]?.day ?? days
    let settled = 0
    for (let at = day; at < endDay; at++) settled += callsOn(firstDay + at)
    return { tier, day, calls: billed, more: Math.max(0, settled - billed) }
  })
  return steps.every(({ more }) => more === 0) ? null : { month, table: input.table, steps }
}
