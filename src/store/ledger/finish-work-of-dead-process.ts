import type { Database } from '#store/sql/database-interface.ts'
import { stringsFromText } from '#store/rows/json-columns.ts'
import type { LedgerQueue } from './ledger-queue.ts'

/**
 * Ends every call that an earlier process left open (docs/reference/rules.md "A process that dies"). Each call is
 * charged for the usage of its last checkpoint, or for its input, so no money remains held. If a response is still
 * generated in the background, takes over the hold of its call.
 * @returns the number of calls that were ended
 */
export async function recoverCalls(
  ledger: LedgerQueue,
  callIds: readonly string[],
  nowMs: number,
): Promise<number> {
  const results = await Promise.all(callIds.map((callId) => ledger.recover(callId, nowMs)))
  return results.filter(({ kind }) => kind === 'ended').length
}

export interface GrantProgress {
  readonly id: string
  readonly done: number
}

/** @param isStalled whether no process is still working on the grant */
export async function finishGrants(
  database: Database,
  ledger: Pick<LedgerQueue, 'continueGrant'>,
  isStalled: (grant: GrantProgress) => boolean = () => true,
): Promise<number> {
  const unfinished = await database.read
    .selectFrom('grants')
    .select(['application_id', 'id', 'done'])
    .where('pending', 'is not', null)
    .execute()
  const stalled = unfinished.filter(({ done, id }) => isStalled({ id, done: done ?? 0 }))
  for (const { application_id, id } of stalled) {
    // oxlint-disable-next-line no-await-in-loop -- one grant at a time, because the end users of each are in memory
    await finishGrant(database, ledger, application_id, id)
  }
  return stalled.length
}

async function finishGrant(
  database: Database,
  ledger: Pick<LedgerQueue, 'continueGrant'>,
  applicationId: string,
  id: string,
): Promise<void> {
  const row = await database.read
    .selectFrom('grants')
    .selectAll()
    .where('application_id', '=', applicationId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const terms = {
    grantId: row.id,
    applicationId: row.application_id,
    mode: row.mode,
    nowMs: row.created_at_ms,
    kind: row.kind,
    amountMicros: row.amount_micros,
    reason: row.reason,
    idempotencyKey: row.idempotency_key,
    startsAtMs: row.starts_at_ms,
    expiresAtMs: row.expires_at_ms,
    requestHash: row.request_hash,
    paymentReference: row.payment_reference,
    reverses: row.reverses,
  }
  await ledger.continueGrant(terms, stringsFromText(row.pending ?? '[]'), row.done ?? 0)
}
