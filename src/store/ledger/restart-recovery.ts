/** Ends the work of a process that died in the middle. */
import type { Database } from '#store/sql/database.ts'
import { stringsFromText } from '#store/rows/json-columns.ts'
import type { LedgerQueue } from './queue.ts'

/**
 * Ends every call that an earlier process left open (docs/reference/rules.md "A process that dies"): charged
 * by its last checkpoint, or its input; nothing is silently free and nothing stays held.
 * @returns the number of such calls
 */
export async function recoverCalls(
  ledger: LedgerQueue,
  callIds: readonly string[],
  nowMs: number,
): Promise<number> {
  await Promise.all(callIds.map((callId) => ledger.recover(callId, nowMs)))
  return callIds.length
}

/**
 * Credits the people whom an interrupted grant did not reach; passes over those who are credited already.
 * @param beforeMs grants begun later may still be under way
 * @returns the number of such grants
 */
export async function finishGrants(
  database: Database,
  ledger: Pick<LedgerQueue, 'continueGrant'>,
  beforeMs = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const rows = await database.read
    .selectFrom('grants')
    .selectAll()
    .where('pending', 'is not', null)
    .where('created_at_ms', '<=', beforeMs)
    .execute()
  for (const row of rows) {
    const terms = {
      grantId: row.id,
      applicationId: row.application_id,
      mode: row.mode,
      nowMs: row.created_at_ms,
      kind: row.kind,
      amountMicros: row.amount_micros,
      reason: row.reason,
      idempotencyKey: row.idempotency_key,
      requestHash: row.request_hash,
    }
    // oxlint-disable-next-line no-await-in-loop -- one grant after the other, as they were asked for
    await ledger.continueGrant(terms, stringsFromText(row.pending ?? '[]'))
  }
  return rows.length
}
