import { graceMs } from '#money/invoice.ts'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import type { IdSource } from '#domain/ids-sorted-by-time.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { Store } from '#domain/store-interface.ts'
import type { DueScope, DueSubscription } from '#domain/billing/subscription-records.ts'
import { timeIn } from '#domain/test-clock.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import type { InApplication } from '#operations/kernel/operation-context.ts'
import { clearMonths, type ClearMonths } from './clear-paid-on-demand-months.ts'
import { bringUp, isBehind } from './keep-subscription-current.ts'
import { duePools, planOf } from './current-plan-and-pools.ts'

/** Subscriptions per transaction. Kept small, because on the embedded store the ledger waits for the transaction. */
const peopleAtOnce = 25

export interface IssueDue {
  readonly store: Store
  readonly newId: IdSource
  /** If aborted, the next call does the remaining work. */
  readonly ending?: AbortSignal
}

/**
 * Issues every due invoice of the scope once. The time of issue is the due time, even if this function is called late
 * or by several processes.
 */
export function issueDueInvoices(issue: IssueDue, scope: DueScope): Promise<void> {
  const { subscriptions } = issue.store.read
  return bringUpAll(issue, scope.nowMs, () => subscriptions.due(scope, peopleAtOnce))
}

/**
 * Issues all due invoices in both modes, first for end users who joined their plan before invoices existed. The ledger
 * then clears the months of on-demand usage that were paid or waived.
 * @param nowMs the real time
 */
export async function issueAllInvoices(issue: IssueDue & ClearMonths, nowMs: number): Promise<void> {
  const { applications, subscriptions } = issue.store.read
  await bringUpAll(issue, nowMs, () => subscriptions.withoutTerms('live', peopleAtOnce))
  await bringUpAll(issue, nowMs, () => subscriptions.withoutTerms('test', peopleAtOnce))
  await bringUpAll(issue, nowMs, () => subscriptions.unwatched(peopleAtOnce))
  await issueDueInvoices(issue, { applicationId: null, mode: null, nowMs })
  for (const application of await applications.withTestClock()) {
    const atMs = timeIn('test', application, nowMs)
    // oxlint-disable-next-line no-await-in-loop -- one transaction after the other, so that calls can run in between
    await issueDueInvoices(issue, { applicationId: application.id, mode: 'test', nowMs: atMs })
  }
  await clearMonths(issue, null, nowMs)
}

/**
 * Call this before the server accepts requests. After a long downtime, an invoice that was not issued yet may already
 * be past due, and then blocks on-demand billing even for the first request.
 * @param nowMs the real time
 */
export async function issuePastDueInvoices(issue: IssueDue, nowMs: number): Promise<void> {
  const { applications, subscriptions } = issue.store.read
  const pastDue = (scope: DueScope): Promise<void> =>
    bringUpAll(issue, scope.nowMs, () =>
      subscriptions.due({ ...scope, nowMs: scope.nowMs - graceMs }, peopleAtOnce),
    )
  await pastDue({ applicationId: null, mode: null, nowMs })
  for (const application of await applications.withTestClock()) {
    // oxlint-disable-next-line no-await-in-loop -- one transaction at a time
    await pastDue({ applicationId: application.id, mode: 'test', nowMs: timeIn('test', application, nowMs) })
  }
}

async function bringUpAll(
  { ending, newId, store }: IssueDue,
  nowMs: number,
  next: () => Promise<readonly DueSubscription[]>,
): Promise<void> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one transaction after the other, so that calls can run in between
    const behind = await next()
    if (behind.length === 0 || ending?.aborted === true) return
    // oxlint-disable-next-line no-await-in-loop -- as above
    await store.transaction(async (nouns) => {
      // The ledger locks end users in this order, so two transactions never deadlock.
      const inOrder = behind.toSorted((one, other) => (one.endUserId < other.endUserId ? -1 : 1))
      for (const { applicationId, endUserId, mode } of inOrder) {
        // A deleted end user still owes the on-demand usage of the month.
        const endUser = await nouns.endUsers.evenRemoved(applicationId, endUserId)
        if (endUser) await bringUp({ store: nouns, newId }, { endUser, mode, nowMs })
      }
    })
  }
}

/**
 * Issues due invoices, and makes the ledger grant the pools of a new period. If the store rejects writes, the GET
 * returns the existing invoices.
 */
export async function bringUpEndUser(endUser: EndUser, context: InApplication): Promise<void> {
  const { mode, ports, store: read } = context
  const who = { endUser, mode, nowMs: modeTime(context) }
  try {
    if (await isBehind(read, who)) {
      await ports.store.transaction((store) => bringUp({ store, newId: ports.newId }, who))
    }
    const bundle = await planOf(endUser, context)
    if (bundle === null) return
    const stored = await read.subscriptions.of(endUser.id, mode)
    const { changes } = await duePools(endUser, bundle, stored, context)
    if (changes.postings.length === 0) return
    await ports.ledger.complete({ endUserId: endUser.id, mode, nowMs: who.nowMs })
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
  }
}
