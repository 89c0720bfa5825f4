import type { ClearMonthRequest } from '#domain/ledger-interface.ts'
import { entryPosting } from '#money/posting.ts'
import { keyOfClearing } from '#store/rows/key-of-month-clearing.ts'
import type { Book } from './ledger-state-in-memory.ts'
import { post } from './apply-posting.ts'
import { completeSources } from './add-due-sources.ts'
import { assertCounts, OperationFault } from './operation-fault.ts'

/**
 * Writes the ledger entry that sets a month of on-demand usage back to 0. Before, the control plane has paid or voided
 * the invoice and added the month to `on_demand_months`, in another transaction. This function stores the ID of the
 * ledger entry in that row. If the process dies between the two transactions, the next run of the job that issues
 * invoices writes the entry.
 */
export function clearMonth(book: Book, request: ClearMonthRequest): void {
  const { amountMicros, endUserId, invoiceId, mode, nowMs, reason, sourceId } = request
  assertCounts('the clearing of', `${sourceId} of ${endUserId}`, [nowMs])
  const person = book.person(endUserId, mode, nowMs)
  const what = `${sourceId} of ${endUserId} for invoice ${invoiceId}`
  if (person === null) throw new OperationFault(`no end user has ${what}`)
  const idempotencyKey = keyOfClearing(request)
  if (book.hasEntry(person, idempotencyKey)) return
  if (book.month(person, sourceId) === null) throw new OperationFault(`there is no ${what}`)
  completeSources(book, person, nowMs)
  // Read the month again, because `completeSources` may drop a month that has ended from memory.
  const posted = book.month(person, sourceId)?.source.posted ?? 0n
  if (posted + amountMicros > 0n) return
  const cause = { callId: null, grantId: null, reason, idempotencyKey, atMs: nowMs }
  const entry = post(book, person, entryPosting(sourceId, 'micros', amountMicros, 'adjustment'), cause)
  if (entry !== null) book.clearMonth(person, sourceId, entry)
}
