import type { Organization } from '#domain/records.ts'
import type { Store } from '#domain/store.ts'
import { dayMs } from '#money/period.ts'
import { monthAfter, monthNamed, monthOfDay, type BillingMonth } from '#money/tier-timeline.ts'
import { computeBill, countBill } from './counted-bill.ts'

/** A month is billed so long after its end: calls that were under way settle meanwhile. */
const graceMs = dayMs

/**
 * Issues the bills of months that are over, the oldest first, for every organization. A month is issued once:
 * what settles later is a line of the next bill. Repeating it, also on several processes, does no harm.
 * @returns how many were issued
 */
export async function issueBills(store: Store, nowMs: number): Promise<number> {
  let issued = 0
  for (const organization of await store.read.organizations.all()) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other: it is a chore beside calls
    issued += await issueBillsOf(organization, store, nowMs)
  }
  return issued
}

async function issueBillsOf(organization: Organization, store: Store, nowMs: number): Promise<number> {
  const [newest] = await store.read.bills.issued(organization.id)
  let month = newest === undefined ? firstMonth(organization) : monthAfter(monthNamed(newest.month))
  let issued = 0
  for (; isOver(month, nowMs); month = monthAfter(month)) {
    const due = month
    // oxlint-disable-next-line no-await-in-loop -- a bill has the late calls of those before it
    const isNew = await store.transaction(async (nouns) => {
      const input = await countBill(organization, due, nouns)
      const { bill, digest } = computeBill(input)
      const { totalMicros } = bill
      const of = { organizationId: organization.id, month: due.name }
      return nouns.bills.issue({ ...of, input, digest, totalMicros, issuedAtMs: nowMs })
    })
    if (isNew) issued += 1
  }
  return issued
}

/** The month in which an organization was founded. */
export function firstMonth({ createdAtMs }: Pick<Organization, 'createdAtMs'>): BillingMonth {
  return monthOfDay(Math.floor(createdAtMs / dayMs))
}

function isOver({ days, firstDay }: BillingMonth, nowMs: number): boolean {
  return (firstDay + days) * dayMs + graceMs <= nowMs
}
