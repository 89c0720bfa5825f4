import type { CallRecord, Page, Rows } from '#domain/records.ts'

/** The calls that were read from one table, newest first. */
export interface Part {
  readonly calls: readonly CallRecord[]
  /**
   * Rows with an ID below this one were not read, and may exist. Null if all rows were read, or if they fill more than
   * a page.
   */
  readonly horizon: string | null
}

export const nothing: Part = { calls: [], horizon: null }

/** Returns one page from the calls of several tables. A call that is in two tables is listed once. */
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
