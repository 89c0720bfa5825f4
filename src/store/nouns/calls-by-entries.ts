/**
 * Finds the charged calls of an end user on the embedded store, which has no index of them by end user. Each source
 * points to its newest ledger entry, and each entry to the one before it. The entries contain the IDs of their calls.
 *
 * The walk takes the newest entries of all sources first and ends early. Entries are in the order in which calls ended,
 * and a call begins before it ends. So all calls that began after the last entry of the walk have been found, except for
 * ends that were stored late.
 */
import { sql } from 'kysely'
import { suffixFloor } from '#domain/id.ts'
import type { Mode } from '#domain/application-config.ts'
import type { Query } from '#store/sql/database.ts'
import { stringsFromText } from '#store/rows/json-columns.ts'

export interface EntriesAsked {
  readonly endUserId: string
  readonly mode: Mode
  /** IDs of calls, exclusive. */
  readonly before: string
  /** IDs of calls, inclusive. */
  readonly from: string
  /** Maximum number of entries of the walk. Null: all entries. */
  readonly entriesMax: number | null
  readonly callsMax: number
  /** Maximum time, in milliseconds, between the end of a call by its entry and the commit of the entry. */
  readonly lateMs: number
}

export interface CallsOfEntries {
  /** The newest calls first, at most `callsMax`. */
  readonly callIds: readonly string[]
  /** All calls from this ID on were found. Null if there are no other calls. */
  readonly horizon: string | null
  /** Whether a longer walk finds older calls. */
  readonly hasMore: boolean
}

export async function callsByEntries(query: Query, asked: EntriesAsked): Promise<CallsOfEntries> {
  const { before, callsMax, endUserId, entriesMax, from, lateMs, mode } = asked
  // In a recursive query, ORDER BY selects the next row, and -1 is no limit (sqlite.org/lang_with.html).
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
  // The other entries are not of a later time. Their calls may have begun in the same millisecond.
  const end = isWhole ? '' : suffixFloor(Number(row?.last_at_ms ?? 0) + lateMs + 1)
  const walked = end <= from ? null : end
  const known = walked === null ? ids : ids.filter((id) => id >= walked)
  if (known.length > callsMax) {
    const callIds = known.slice(0, callsMax)
    return { callIds, horizon: callIds.at(-1) ?? null, hasMore: false }
  }
  return { callIds: known, horizon: walked, hasMore: walked !== null }
}
