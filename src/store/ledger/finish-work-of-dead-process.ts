import { StoreUnavailable } from '#domain/ledger-interface.ts'
import type { Database } from '#store/sql/database-interface.ts'
import { stringsFromText } from '#store/rows/json-columns.ts'
import type { LedgerQueue } from './ledger-queue.ts'

/**
 * Ends every call that an earlier process left open (docs/reference/rules.md "A process that dies"). Each call is
 * charged for the usage of its last checkpoint, or for its input, so no money remains held. If a response is still
 * generated in the background, takes over the hold of its call.
 *
 * A call that cannot be recovered is reported and keeps its hold until the next start. Otherwise, a single broken row
 * would keep the server from starting.
 * @returns the number of calls that were ended
 * @throws if the store is unavailable
 */
export async function recoverCalls(
  ledger: Pick<LedgerQueue, 'recover' | 'reportFault'>,
  callIds: readonly string[],
  nowMs: number,
): Promise<number> {
  const results = await Promise.all(
    callIds.map((callId) =>
      ledger.recover(callId, nowMs).catch((cause: unknown) => {
        if (cause instanceof StoreUnavailable) throw cause
        ledger.reportFault(new Error(`recover the request ${callId}`, { cause }))
        return null
      }),
    ),
  )
  return results.filter((result) => result?.kind === 'ended').length
}

export interface GrantProgress {
  readonly id: string
  readonly done: number
}

/**
 * Continues every grant that no process is working on. A grant that cannot be continued is reported, and does not delay
 * the other grants.
 * @param isStalled whether no process is still working on the grant
 * @returns the number of grants that were completed
 * @throws if the store is unavailable for one of the grants, after trying all grants: another grant may need only nodes
 *   of a distributed database that respond
 */
export async function finishGrants(
  database: Database,
  ledger: Pick<LedgerQueue, 'continueGrant' | 'reportFault'>,
  isStalled: (grant: GrantProgress) => boolean = () => true,
): Promise<number> {
  const unfinished = await database.read
    .selectFrom('grants')
    .select(['application_id', 'id', 'done'])
    .where('pending', 'is not', null)
    .execute()
  const stalled = unfinished.filter(({ done, id }) => isStalled({ id, done: done ?? 0 }))
  let finished = 0
  let unavailable: StoreUnavailable | null = null
  for (const { application_id, id } of stalled) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one grant at a time, because the end users of each are in memory
      await finishGrant(database, ledger, application_id, id)
      finished += 1
    } catch (cause) {
      if (cause instanceof StoreUnavailable) unavailable ??= cause
      else ledger.reportFault(new Error(`continue the grant ${id}`, { cause }))
    }
  }
  if (unavailable !== null) throw unavailable
  return finished
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
