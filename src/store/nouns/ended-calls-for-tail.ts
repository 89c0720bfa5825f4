import { sql } from 'kysely'
import { suffixFloor, suffixMs } from '#domain/ids-sorted-by-time.ts'
import type { Mode } from '#domain/billing/money-account-key.ts'
import { comparePlaces, type EndedCalls, type TailPlace } from '#domain/calls/requests-tail-interface.ts'
import { inMode, longestMs, longMs } from '#store/rows/read-ended-calls-by-time.ts'
import type { Query } from '#store/sql/database-interface.ts'
import {
  chargedCallOf,
  chargedRows,
  unchargedCallOf,
  unchargedIn,
  unchargedRows,
} from './read-call-records.ts'
import { every } from './read-rows-and-pages.ts'

/** Reading this many rows blocks the thread for a few milliseconds. */
const rowsMax = 1_000

export function endedCalls(query: Query, rowsAtOnce = rowsMax): EndedCalls {
  return {
    async byIds(applicationId, mode, callIds) {
      if (callIds.length === 0) return []
      const charged = await every(
        chargedRows(query, applicationId, mode).where('usage_records.call_id', 'in', callIds),
        chargedCallOf,
      )
      if (charged.length === callIds.length) return charged
      const uncharged = unchargedIn(query, applicationId, mode).where('requests.call_id', 'in', callIds)
      return [...charged, ...(await unchargedRows(query, uncharged)).map(unchargedCallOf)]
    },

    async placesBehind(applicationId, mode, after, placesMax) {
      const behind: TailPlace[] = []
      const note = (rows: readonly EndedRow[]): void => {
        for (const { call_id: callId, latency_ms: latencyMs } of rows) {
          const place = { endedAtMs: (suffixMs(callId) ?? 0) + latencyMs, callId }
          if (comparePlaces(place, after) > 0) behind.push(place)
        }
      }
      const places = [
        { table: 'usage_records', tookMsMax: longMs },
        { table: 'requests', tookMsMax: longestMs },
      ] as const
      for (const { table, tookMsMax } of places)
        for (let last = suffixFloor(Math.max(0, after.endedAtMs - tookMsMax)); ;) {
          // oxlint-disable-next-line no-await-in-loop -- pages are read one after another
          const rows = await rowsAfter(query, { table, applicationId, mode, last }, rowsAtOnce)
          note(rows.filter(({ took_ms: tookMs }) => tookMs <= tookMsMax))
          if (behind.length > placesMax) return null
          const lastRow = rows.at(-1)
          if (lastRow === undefined || rows.length < rowsAtOnce) break
          last = lastRow.call_id
        }
      for (const table of ['usage_records', 'requests'] as const)
        for (let last = { endedMs: after.endedAtMs - longMs, callId: '' }; ;) {
          // oxlint-disable-next-line no-await-in-loop -- see above
          const rows = await longAfter(query, { table, applicationId, mode, last }, rowsAtOnce)
          note(rows)
          if (behind.length > placesMax) return null
          const lastRow = rows.at(-1)
          if (lastRow === undefined || rows.length < rowsAtOnce) break
          last = { endedMs: lastRow.ended_ms, callId: lastRow.call_id }
        }
      return behind.toSorted(comparePlaces)
    },
  }
}

interface EndedRow {
  readonly call_id: string
  readonly latency_ms: number
  /** Must be the same SQL expression as in the index of long calls. */
  readonly took_ms: number
}

interface From {
  readonly table: 'usage_records' | 'requests'
  readonly applicationId: string
  readonly mode: Mode
  readonly last: string
}

async function rowsAfter(
  query: Query,
  { applicationId, last, mode, table }: From,
  rowsAtOnce: number,
): Promise<EndedRow[]> {
  const took = table === 'requests' ? sql`latency_ms` : sql`settled_at_ms - at_ms`
  const { rows } = await sql`
    SELECT call_id, latency_ms, ${took} AS took_ms FROM ${sql.ref(table)}
    WHERE application_id = ${applicationId} AND mode = ${mode} AND call_id > ${last}
    ORDER BY call_id LIMIT ${rowsAtOnce}`.execute(query)
  return numbersOf(rows)
}

interface LongRow extends EndedRow {
  readonly ended_ms: number
}

interface LongFrom extends Omit<From, 'last'> {
  readonly last: { readonly endedMs: number; readonly callId: string }
}

/**
 * Charged calls that took more than ten minutes, and failed background responses and requests of batches that took more
 * than 65 minutes, in the order in which they ended. In test mode, `settled_at_ms` and `at_ms` are times of the test
 * clock, which is never behind the real time.
 */
async function longAfter(
  query: Query,
  { applicationId, last, mode, table }: LongFrom,
  rowsAtOnce: number,
): Promise<LongRow[]> {
  const isCharged = table === 'usage_records'
  const took = isCharged ? sql`settled_at_ms - at_ms` : sql`latency_ms`
  const ended = isCharged ? sql`settled_at_ms` : sql`(at_ms + latency_ms)`
  // The conditions of the indexes of long calls.
  const isLong = isCharged ? sql`settled_at_ms - at_ms > 600000` : sql`latency_ms > 3900000`
  const { rows } = await sql`
    SELECT call_id, latency_ms, ${took} AS took_ms, ${ended} AS ended_ms FROM ${sql.ref(table)}
    WHERE application_id = ${applicationId} AND ${inMode(query, mode)} AND ${isLong}
      AND ${ended} >= ${last.endedMs} AND (${ended} > ${last.endedMs} OR call_id > ${last.callId})
    ORDER BY ${ended}, call_id LIMIT ${rowsAtOnce}`.execute(query)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns selected above
  const ends = rows as { readonly ended_ms: number | bigint }[]
  return numbersOf(rows).map((row, at) => ({ ...row, ended_ms: Number(ends[at]?.ended_ms) }))
}

/** Each engine returns a different type for `took_ms`, which is an SQL expression. */
function numbersOf(rows: readonly unknown[]): EndedRow[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns selected above
  return (rows as (Omit<EndedRow, 'took_ms'> & { readonly took_ms: number | bigint })[]).map((row) => ({
    ...row,
    took_ms: Number(row.took_ms),
  }))
}
