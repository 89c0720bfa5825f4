/**
 * Reading the ledger. An entry names the one before it of the same source, and the source's row names
 * its newest: a person's entries are found by walking that chain, newest first, one primary-key
 * look-up each. An index by person would have cost every settle a page of its own.
 */
import { sql } from 'kysely'
import type { Mode } from '#domain/snapshot.ts'
import type { Query } from '#store/database.ts'
import type { LedgerRow } from '#store/schema.ts'

export interface EntriesRequest {
  readonly endUserId: string
  readonly mode: Mode
  /** Null: of all sources, in one sequence. */
  readonly sourceId: string | null
  /** Only older ones than this sequence; null: from the newest. */
  readonly before: number | null
  readonly limit: number
}

/** A page of a person's entries, newest first. */
export async function ledgerEntries(query: Query, request: EntriesRequest): Promise<LedgerRow[]> {
  const { endUserId, mode, sourceId, limit } = request
  const before = request.before ?? Number.MAX_SAFE_INTEGER
  // The queue of a recursive query with ORDER BY is a heap (sqlite.org/lang_with.html): rows leave it
  // newest first over all chains, so the LIMIT stops the walk however long the chains are.
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
    JOIN ledger l ON l.sequence = c.sequence
    ORDER BY l.sequence DESC`.execute(query)
  return rows
}

/** What a call took, one entry per source that paid, oldest first. */
export async function ledgerEntriesOfCall(
  query: Query,
  applicationId: string,
  callId: string,
): Promise<LedgerRow[]> {
  const record = await query
    .selectFrom('usage_records')
    .select(['first_entry', 'legs'])
    .where('application_id', '=', applicationId)
    .where('call_id', '=', callId)
    .executeTakeFirst()
  if (record === undefined || record.first_entry === null) return []
  // They were written one after the other, at most one per leg.
  const legs: unknown = JSON.parse(record.legs)
  const entriesMax = Array.isArray(legs) ? legs.length : 0
  return query
    .selectFrom('ledger')
    .selectAll()
    .where('sequence', '>=', record.first_entry)
    .where('sequence', '<', record.first_entry + entriesMax)
    .where('call_id', '=', callId)
    .orderBy('sequence')
    .execute()
}
