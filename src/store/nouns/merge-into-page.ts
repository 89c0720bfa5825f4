import type { CallRecord } from '#domain/calls/call-record.ts'
import type { Page, Rows } from '#domain/list-page.ts'
import { hourMs } from '#money/periods-and-windows.ts'

/**
 * Limits on the reads for one page. A page is read in steps, and each list has one limit for each step. The first limit
 * is low, because few rows are enough for most pages.
 */
export interface ListBounds {
  /** Maximum number of rows that are tested one by one. If a step finds too few calls, the next step begins. */
  readonly rowsMax: readonly number[]
  /**
   * Maximum number of ledger entries of an end user that are read, for each step. Each entry is at a random place in
   * the database file. The second limit finds about `entryCallsMax` calls.
   */
  readonly entriesMax: readonly number[]
  /** Maximum number of calls found through ledger entries. Each is at a random place in the database file. */
  readonly entryCallsMax: number
  /**
   * Maximum time from the end of a call to its commit, because calls are found by their stored ends. A full disk can
   * cause such a delay.
   */
  readonly lateMs: number
}

export const listBounds: ListBounds = {
  rowsMax: [500, 10_000],
  entriesMax: [100, 320, 700, 1_500, 4_000],
  entryCallsMax: 300,
  lateMs: 3 * hourMs,
}

export interface Part {
  readonly calls: readonly CallRecord[]
  /**
   * Rows with a lower ID were not read and may exist. Null if all rows were read, or if the rows fill more than a page.
   */
  readonly horizon: string | null
}

export const nothing: Part = { calls: [], horizon: null }

/**
 * If these parts fill a page, returns the ID of the first call after the page. Otherwise null. Lower IDs need not be
 * read from other tables.
 */
export function lastNeeded(parts: readonly Part[], { limit }: Page): string | null {
  const ids = new Set(parts.flatMap(({ calls }) => calls.map(({ callId }) => callId)))
  return [...ids].toSorted().at(-1 - limit) ?? null
}

/** A call that is in two tables is listed once. */
export function merged(parts: readonly Part[], { limit }: Page): Rows<CallRecord> {
  let horizon: string | null = null
  for (const part of parts)
    if (part.horizon !== null && (horizon === null || part.horizon > horizon)) horizon = part.horizon
  const byId = new Map<string, CallRecord>()
  for (const { calls } of parts)
    for (const call of calls) if (horizon === null || call.callId >= horizon) byId.set(call.callId, call)
  const known = [...byId.values()].toSorted((one, other) => (one.callId < other.callId ? 1 : -1))
  const rows = known.slice(0, limit)
  const last = rows.at(-1)
  if (known.length > limit && last !== undefined) return { rows, next: { at: last.atMs, id: last.callId } }
  return { rows, next: horizon === null ? null : { at: 0, id: horizon } }
}
