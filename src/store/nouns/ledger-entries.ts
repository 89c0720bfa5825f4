/**
 * Each entry refers to the previous entry of the same source, and the source's row refers to its newest entry. On
 * SQLite, an end user's entries are found by these references, newest first, with one primary-key look-up per entry. An
 * index by end user would add a page write to every settle. On PostgreSQL, the primary key begins with end user and
 * source, as a distributed table requires, and finds each source's newest entries.
 */
import { sql } from 'kysely'
import type { Mode } from '#domain/application-config.ts'
import { isPostgres, type Query } from '#store/sql/database-interface.ts'
import type { LedgerRow } from '#store/sql/schema.ts'
import { numbersFromText } from '#store/rows/json-columns.ts'
import { legsFromText } from '#store/rows/legs-column.ts'

export interface EntriesRequest {
  readonly endUserId: string
  readonly mode: Mode
  /** Null means all sources, sorted together by sequence number. */
  readonly sourceId: string | null
  /** Returns only entries with a lower sequence number. Null means to start with the newest entry. */
  readonly before: number | null
  readonly limit: number
}

export async function ledgerEntries(query: Query, request: EntriesRequest): Promise<LedgerRow[]> {
  const { endUserId, mode, sourceId, limit } = request
  const before = request.before ?? Number.MAX_SAFE_INTEGER
  if (isPostgres(query)) return entriesByKey(query, { ...request, before })
  // The ORDER BY makes the recursive query return entries newest first (sqlite.org/lang_with.html). The LIMIT then
  // stops the query even if a source has many entries. SQLite never reorders a CROSS JOIN
  // (sqlite.org/lang_select.html). For another join, SQLite reads the whole ledger.
  const { rows } = await sql<LedgerRow>`
    WITH RECURSIVE chain (sequence, previous) AS (
      SELECT l.sequence, l.previous FROM sources s JOIN ledger l ON l.sequence = s.last_entry
      WHERE s.end_user_id = ${endUserId} AND s.mode = ${mode}
        AND (${sourceId} IS NULL OR s.id = ${sourceId})
      UNION ALL
      SELECT l.sequence, l.previous FROM chain c JOIN ledger l ON l.sequence = c.previous
      ORDER BY 1 DESC
    )
    SELECT l.* FROM (SELECT sequence FROM chain WHERE sequence < ${before} LIMIT ${limit}) c
    CROSS JOIN ledger l ON l.sequence = c.sequence
    ORDER BY l.sequence DESC`.execute(query)
  return rows
}

/** Reads at most one page of entries of each source, and selects the newest of all. */
async function entriesByKey(
  query: Query,
  { before, endUserId, limit, mode, sourceId }: EntriesRequest & { readonly before: number },
): Promise<LedgerRow[]> {
  const { rows } = await sql<LedgerRow>`
    SELECT l.* FROM sources s CROSS JOIN LATERAL (
      SELECT * FROM ledger WHERE end_user_id = s.end_user_id AND mode = s.mode AND source_id = s.id
        AND sequence < ${before} ORDER BY sequence DESC LIMIT ${limit}
    ) l
    WHERE s.end_user_id = ${endUserId} AND s.mode = ${mode}
      AND s.id = coalesce(${sourceId}::text, s.id)
    ORDER BY l.sequence DESC LIMIT ${limit}`.execute(query)
  return rows
}

/** Returns the debits of a call and the entries of its corrections, oldest first. */
export async function ledgerEntriesOfCall(
  query: Query,
  applicationId: string,
  callId: string,
): Promise<LedgerRow[]> {
  const corrections = await query
    .selectFrom('call_corrections')
    .select(['end_user_id', 'mode', 'entries', 'created_at_ms'])
    .where('application_id', '=', applicationId)
    .where('call_id', '=', callId)
    .orderBy('number')
    .execute()
  const entries = await debitsOfCall(query, applicationId, callId)
  for (const correction of corrections) {
    const sequences = numbersFromText(correction.entries)
    if (sequences.length === 0) continue
    // oxlint-disable-next-line no-await-in-loop -- nearly always one iteration
    const found = await query
      .selectFrom('ledger')
      .selectAll()
      .where('sequence', 'in', sequences)
      .where('end_user_id', '=', correction.end_user_id)
      .where('mode', '=', correction.mode)
      .where('created_at_ms', '=', correction.created_at_ms)
      .orderBy('sequence')
      .execute()
    entries.push(...found)
  }
  return entries
}

/** Returns one entry for each source that paid. */
async function debitsOfCall(query: Query, applicationId: string, callId: string): Promise<LedgerRow[]> {
  const record = await query
    .selectFrom('usage_records')
    .select(['end_user_id', 'mode', 'first_entry', 'legs', 'settled_at_ms'])
    .where('application_id', '=', applicationId)
    // Name both modes, because the mode comes before the call ID in PostgreSQL's index.
    .where('mode', 'in', ['live', 'test'])
    .where('call_id', '=', callId)
    .executeTakeFirst()
  if (record === undefined || record.first_entry === null) return []
  // The entries of a call were written one after another, at most one entry for each source that paid (leg).
  const legs = legsFromText(record.legs)
  return query
    .selectFrom('ledger')
    .selectAll()
    .where('sequence', '>=', record.first_entry)
    .where('sequence', '<', record.first_entry + legs.length)
    .where('call_id', '=', callId)
    .$if(isPostgres(query) && legs.length > 0, (all) =>
      all
        .where('end_user_id', '=', record.end_user_id)
        .where('mode', '=', record.mode)
        .where(
          'source_id',
          'in',
          legs.map(({ sourceId }) => sourceId),
        )
        .where('created_at_ms', '=', record.settled_at_ms),
    )
    .orderBy('sequence')
    .execute()
}
