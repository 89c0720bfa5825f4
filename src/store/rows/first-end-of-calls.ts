import { sql } from 'kysely'
import { suffixFloor, suffixMs } from '#domain/ids-sorted-by-time.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { clockAheadMs, type EndedSpan, inMode, longestMs, longMs } from './read-ended-calls-by-time.ts'

interface FirstEnd {
  /** Null if no such call ended. PostgreSQL returns a bigint for a sum. */
  readonly ended_at_ms: number | bigint | null
}

/**
 * Returns a lower limit for the end of the first call that ended since `fromMs`. Infinity if no call ended. The limit
 * may be too low by the duration of that call plus `longMs`.
 */
export async function noEndBeforeMs(
  query: Query,
  { applicationId, mode }: Pick<EndedSpan, 'applicationId' | 'mode'>,
  fromMs: number,
): Promise<number> {
  const aheadMs = await clockAheadMs(query, applicationId, mode)
  const floorOf = (callMs: number): string => suffixFloor(Math.max(0, fromMs - aheadMs - callMs))
  const inPlace = sql`application_id = ${applicationId} AND mode = ${mode}`
  const begun = [
    sql<{ call_id: string }>`SELECT call_id FROM usage_records
      WHERE ${inPlace} AND call_id >= ${floorOf(longMs)} AND settled_at_ms >= ${fromMs}
      ORDER BY call_id LIMIT 1`,
    sql<{ call_id: string }>`SELECT call_id FROM requests
      WHERE ${inPlace} AND call_id >= ${floorOf(longestMs)} AND at_ms + latency_ms >= ${fromMs}
      ORDER BY call_id LIMIT 1`,
  ]
  const lasting = [
    sql<FirstEnd>`SELECT min(settled_at_ms) AS ended_at_ms FROM usage_records
      WHERE application_id = ${applicationId} AND ${inMode(query, mode)}
        AND settled_at_ms >= ${fromMs} AND settled_at_ms - at_ms > 600000`,
    sql<FirstEnd>`SELECT min(at_ms + latency_ms) AS ended_at_ms FROM requests
      WHERE application_id = ${applicationId} AND ${inMode(query, mode)}
        AND at_ms + latency_ms >= ${fromMs} AND latency_ms > 3900000`,
  ]
  let endMs = Infinity
  for (const statement of lasting) {
    // oxlint-disable-next-line no-await-in-loop -- two statements
    const [row] = (await statement.execute(query)).rows
    endMs = Math.min(endMs, Number(row?.ended_at_ms ?? Infinity))
  }
  for (const statement of begun) {
    // oxlint-disable-next-line no-await-in-loop -- two statements
    const [row] = (await statement.execute(query)).rows
    // All other calls began later, and so ended after this call began. The ID of a call is created shortly after the
    // call begins.
    if (row) endMs = Math.min(endMs, Math.max(fromMs, (suffixMs(row.call_id) ?? fromMs) - longMs))
  }
  return endMs
}
