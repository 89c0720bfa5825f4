/**
 * Finds an end user's charged calls on the embedded store, which has no index of calls by end user. Each source points
 * to its newest ledger entry, and each entry points to the previous entry. Entries contain the IDs of their calls.
 *
 * The search reads the entries of all sources from the newest to the oldest, and may stop at any entry. Entries are in
 * the order in which calls ended, and a call begins before it ends. After an entry, the search has therefore found all
 * calls that began later than the entry. Only calls whose end was stored late may be missing.
 */
import { sql } from 'kysely'
import { suffixFloor } from '#domain/ids-sorted-by-time.ts'
import type { Mode } from '#domain/application-config.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { stringsFromText } from '#store/rows/json-columns.ts'

export interface EntriesAsked {
  readonly endUserId: string
  readonly mode: Mode
  readonly before: string
  readonly from: string
  /** Null means no maximum. */
  readonly entriesMax: number | null
  readonly callsMax: number
  /** Maximum time between the end of a call and the commit of its ledger entry. */
  readonly lateMs: number
}

export interface CallsOfEntries {
  readonly callIds: readonly string[]
  /** `callIds` contains every call whose ID is not lower than this ID. Null if no older calls exist. */
  readonly horizon: string | null
  readonly hasMore: boolean
}

export async function callsByEntries(query: Query, asked: EntriesAsked): Promise<CallsOfEntries> {
  const { before, callsMax, endUserId, entriesMax, from, lateMs, mode } = asked
  // In a recursive query, ORDER BY selects the next row, and a limit of -1 means no limit (sqlite.org/lang_with.html).
  const { rows } = await sql<{ entries: number | bigint; last_at_ms: number | bigint | null; ids: string }>`
    WITH RECURSIVE chain (sequence, previous, call_id, created_at_ms) AS MATERIALIZED (
      SELECT l.sequence, l.previous, l.call_id, l.created_at_ms FROM sources s JOIN ledger l ON l.sequence = s.last_entry
      WHERE s.end_user_id = ${endUserId} AND s.mode = ${mode}
      UNION ALL
      SELECT l.sequence, l.previous, l.call_id, l.created_at_ms FROM chain c JOIN ledger l ON l.sequence = c.previous
      ORDER BY 1 DESC LIMIT ${entriesMax ?? -1}
    )
    SELECT (SELECT count(*) FROM chain) AS entries,
      (SELECT created_at_ms FROM chain ORDER BY sequence LIMIT 1) AS last_at_ms,
      (SELECT json_group_array(call_id) FROM (
        SELECT DISTINCT call_id FROM chain WHERE call_id < ${before} AND call_id >= ${from}
        ORDER BY 1 DESC LIMIT ${callsMax + 1})) AS ids`.execute(query)
  const [row] = rows
  const ids = stringsFromText(row?.ids ?? '[]')
  const isWhole = entriesMax === null || Number(row?.entries ?? 0) < entriesMax
  // Unread entries were committed no later than the last read entry. Their calls therefore began and ended at most
  // `lateMs` after the time of that entry.
  const end = isWhole ? '' : suffixFloor(Number(row?.last_at_ms ?? 0) + lateMs + 1)
  const walked = end <= from ? null : end
  const known = walked === null ? ids : ids.filter((id) => id >= walked)
  if (known.length > callsMax) {
    const callIds = known.slice(0, callsMax)
    return { callIds, horizon: callIds.at(-1) ?? null, hasMore: false }
  }
  return { callIds: known, horizon: walked, hasMore: walked !== null }
}
