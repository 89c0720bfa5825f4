import type { Organization } from '#domain/organization-record.ts'
import type { Store } from '#domain/store-interface.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { monthAfter, monthNamed, monthOfDay, type BillingMonth } from '#money/organization-tier-by-day.ts'
import { computeBill, countBill } from './billable-counts.ts'

/** Time to wait after the end of a month, so that requests in flight can settle. */
const graceMs = dayMs

/**
 * Issues the bills of past months for every organization, oldest first. Each month is billed once. Requests of the
 * month that settle later are a line of the next bill. Repeated runs are safe, even in several processes.
 * @returns the number of bills that were issued
 */
export async function issueBills(store: Store, nowMs: number): Promise<number> {
  let issued = 0
  for (const organization of await store.read.organizations.all()) {
    // oxlint-disable-next-line no-await-in-loop -- sequential, so that this background work does not slow down requests
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
    // oxlint-disable-next-line no-await-in-loop -- a bill includes the late requests of earlier months
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

export function firstMonth({ createdAtMs }: Pick<Organization, 'createdAtMs'>): BillingMonth {
  return monthOfDay(Math.floor(createdAtMs / dayMs))
}

function isOver({ days, firstDay }: BillingMonth, nowMs: number): boolean {
  return (firstDay + days) * dayMs + graceMs <= nowMs
}
