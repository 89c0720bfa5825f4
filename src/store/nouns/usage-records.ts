/**
 * Reads usage records by the time at which their calls settled. An index of this time would add a page write to each
 * call. The tables are in the order in which calls began. The reads therefore begin ten minutes before the time range,
 * because most calls take less time. An index of long calls finds the other calls. rows/read-ended-calls-by-time.ts
 * reads in the same way, newest first and for sums. The clock of test mode may be ahead of call IDs, so all calls of
 * test mode are read.
 */
import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { dayMs } from '#money/periods-and-windows.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import {
  type CorrectedName,
  correctedNames,
  type RecordFigures,
  recordNames,
  zeroOf,
} from '#domain/sums-of-request-figures.ts'
import { suffixFloor } from '#domain/ids-sorted-by-time.ts'
import type { Mode } from '#domain/billing/money-account-key.ts'
import type {
  RecordPage,
  RecordPlace,
  SettledSpan,
  UsageRecord,
  UsageRecords,
} from '#domain/reports/usage-records-interface.ts'
import { tagsAndTeam } from '#store/rows/labels-of-calls.ts'
import { bundleOfTrace, longMs } from '#store/rows/read-ended-calls-by-time.ts'
import { targetFromText, usageFromText } from '#store/rows/json-columns.ts'
import { tagsFromText } from '#store/rows/tags-columns.ts'
import { isPostgres, type Query } from '#store/sql/database-interface.ts'
import { fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import { correctedColumns, listed, recordColumns } from '#store/sql/sql-of-figure-columns.ts'
import type { CallCorrectionRow, UsageRecordRow } from '#store/sql/schema.ts'

/**
 * Converting this many rows of an export blocks the event loop for a millisecond or two. Calls run between the queries.
 */
const rowsAtOnce = 100

export function usageRecords(query: Query): UsageRecords {
  return {
    async settledIn(span, after) {
      switch (after?.part) {
        case 'correction':
          return correctionsAfter(query, span, after)
        case 'long':
          return longAfter(query, span, after)
        default:
          return shortAfter(query, span, after?.callId ?? '')
      }
    },
    placeOf: (applicationId, mode, callId) => placeOf(query, applicationId, mode, callId),
    async placeOfCorrection(applicationId, mode, id) {
      const row = await query
        .selectFrom('call_corrections')
        .select('created_at_ms')
        .where('application_id', '=', applicationId)
        .where('mode', '=', mode)
        .where('id', '=', id)
        .executeTakeFirst()
      return row === undefined ? null : { part: 'correction', createdAtMs: row.created_at_ms, id }
    },
  }
}

async function shortAfter(query: Query, span: SettledSpan, callId: string): Promise<RecordPage> {
  const { applicationId, endUserId, fromMs, mode, toMs } = span
  const floor = mode === 'live' ? suffixFloor(Math.max(0, fromMs - longMs)) : ''
  const after = callId > floor ? callId : floor
  const end = mode === 'live' ? sql<SqlBool>`AND call_id < ${suffixFloor(toMs + longMs)}` : sql``
  // Use only conditions that an index covers. The embedded engine has no index by mode or end user, so the code below
  // removes other rows.
  const along = isPostgres(query)
    ? sql`AND mode = ${mode} ${endUserId === null ? sql`` : sql`AND end_user_id = ${endUserId}`}`
    : sql``
  const rows = await rowsOf(
    query,
    sql`application_id = ${applicationId} ${along} AND call_id > ${after} ${end}
      ORDER BY call_id LIMIT ${rowsAtOnce}`,
  )
  const meant = rows.filter(
    (row) =>
      row.mode === mode &&
      (endUserId === null || row.end_user_id === endUserId) &&
      row.settled_at_ms >= fromMs &&
      row.settled_at_ms < toMs &&
      row.settled_at_ms - row.at_ms <= longMs,
  )
  const last = rows.length < rowsAtOnce ? undefined : rows.at(-1)
  return {
    records: await recordsOf(query, meant),
    next: last ? { part: 'short', callId: last.call_id } : { part: 'long', settledAtMs: -1, callId: '' },
  }
}

async function longAfter(
  query: Query,
  { applicationId, endUserId, fromMs, mode, toMs }: SettledSpan,
  { callId, settledAtMs }: { readonly callId: string; readonly settledAtMs: number },
): Promise<RecordPage> {
  const fromOrAfterMs = Math.max(fromMs, settledAtMs)
  const ofPerson = endUserId === null ? sql`` : sql`AND end_user_id = ${endUserId}`
  const rows = await rowsOf(
    query,
    sql`application_id = ${applicationId} AND ${inMode(query, mode)} ${ofPerson}
        AND settled_at_ms - at_ms > 600000 AND settled_at_ms >= ${fromOrAfterMs} AND settled_at_ms < ${toMs}
        AND (settled_at_ms > ${settledAtMs} OR call_id > ${callId})
      ORDER BY settled_at_ms, call_id LIMIT ${rowsAtOnce}`,
  )
  const last = rows.length < rowsAtOnce ? undefined : rows.at(-1)
  return {
    records: await recordsOf(query, rows),
    next: last
      ? { part: 'long', settledAtMs: last.settled_at_ms, callId: last.call_id }
      : { part: 'correction', createdAtMs: -1, id: '' },
  }
}

/**
 * Returns corrections as usage records. A record equals the record of the corrected call, except that its amounts are
 * the changes that the correction made.
 */
async function correctionsAfter(
  query: Query,
  { applicationId, endUserId, fromMs, mode, toMs }: SettledSpan,
  { createdAtMs, id }: { readonly createdAtMs: number; readonly id: string },
): Promise<RecordPage> {
  const corrections = await query
    .selectFrom('call_corrections')
    .selectAll()
    .where('application_id', '=', applicationId)
    .where('mode', '=', mode)
    // Compare days as well as times, because the index contains the day.
    .where('day', '>=', Math.floor(Math.max(fromMs, createdAtMs) / dayMs))
    .where('day', '<=', Math.floor(toMs / dayMs))
    .where('created_at_ms', '>=', Math.max(fromMs, createdAtMs))
    .where('created_at_ms', '<', toMs)
    .where((eb) => eb.or([eb('created_at_ms', '>', createdAtMs), eb('id', '>', id)]))
    .$if(endUserId !== null, (some) => some.where('end_user_id', '=', endUserId ?? ''))
    .orderBy('created_at_ms')
    .orderBy('id')
    .limit(rowsAtOnce)
    .execute()
  const callIds = [...new Set(corrections.map((row) => row.call_id))]
  const rows =
    callIds.length === 0
      ? []
      : await rowsOf(query, sql`application_id = ${applicationId} AND call_id IN (${sql.join(callIds)})`)
  const calls = new Map((await recordsOf(query, rows)).map((record) => [record.callId, record]))
  const last = corrections.length < rowsAtOnce ? undefined : corrections.at(-1)
  return {
    records: corrections.flatMap((row) => {
      const call = calls.get(row.call_id)
      return call === undefined ? [] : [corrected(call, row)]
    }),
    next: last ? { part: 'correction', createdAtMs: last.created_at_ms, id: last.id } : null,
  }
}

const noFigures = zeroOf(recordNames)

/** Null for the parts by payer if the call was stored before they existed. */
function correctedFields(row: CallCorrectionRow): Pick<RecordFigures, CorrectedName> {
  const fields = correctedNames.map((name, at) => {
    const column = correctedColumns[at] ?? ''
    return [name, Object.entries(row).find(([known]) => known === column)?.[1] ?? null]
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every name is also a column
  return Object.fromEntries(fields) as Pick<RecordFigures, CorrectedName>
}

function corrected(call: UsageRecord, row: CallCorrectionRow): UsageRecord {
  return {
    ...call,
    correction: { id: row.id, kind: row.kind },
    usage: zeroUsage,
    assumedMicros: 0n,
    ...noFigures,
    ...correctedFields(row),
    settledAtMs: row.created_at_ms,
  }
}

async function placeOf(
  query: Query,
  applicationId: string,
  mode: Mode,
  callId: string,
): Promise<RecordPlace | null> {
  const row = await query
    .selectFrom('usage_records')
    .select(['at_ms', 'settled_at_ms'])
    .where('application_id', '=', applicationId)
    .where('mode', '=', mode)
    .where('call_id', '=', callId)
    .executeTakeFirst()
  if (row === undefined) return null
  return row.settled_at_ms - row.at_ms <= longMs
    ? { part: 'short', callId }
    : { part: 'long', settledAtMs: row.settled_at_ms, callId }
}

/** `unlikely` marks the mode's rows as few. Otherwise, SQLite prefers the primary key to the index with the mode. */
function inMode(query: Query, mode: Mode): RawBuilder<unknown> {
  return isPostgres(query) ? sql`mode = ${mode}` : sql`unlikely(mode = ${mode})`
}

type Row = Omit<
  UsageRecordRow,
  'application_id' | 'wallet_posted_micros' | 'trace' | 'legs' | 'worst_micros'
> & {
  readonly bundle: string | null
}

async function rowsOf(query: Query, condition: RawBuilder<unknown>): Promise<Row[]> {
  const { rows } = await sql`SELECT call_id, mode, end_user_id, key_id, alias, target, wire, streamed, usage,
      token_source, ${sql.raw(listed(recordColumns))}, assumed_micros, disputed, quote_id, outcome_slug, run_id, tags, http_status, error_code, at_ms, settled_at_ms, latency_ms, first_byte_ms,
      ${bundleOfTrace(query)} AS bundle
    FROM usage_records WHERE ${condition}`.execute(query)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns selected above
  return rows as Row[]
}

async function recordsOf(query: Query, rows: readonly Row[]): Promise<UsageRecord[]> {
  if (rows.length === 0) return []
  const ids = [...new Set(rows.map((row) => row.end_user_id))]
  const people = await query
    .selectFrom('end_users')
    .select(['id', 'external_id'])
    .where('id', 'in', ids)
    .execute()
  const externalIds = new Map(people.map(({ external_id, id }) => [id, external_id]))
  return rows.map((row) => {
    const { assumed_micros: assumedMicros, disputed, mode: _, streamed, tags, target, usage, ...rest } = row
    return {
      ...fieldsOf(rest),
      assumedMicros: assumedMicros ?? 0n,
      correction: null,
      externalId: externalIds.get(row.end_user_id) ?? row.end_user_id,
      isDisputed: disputed === null ? null : disputed === 1,
      isStreamed: streamed === 1,
      ...tagsAndTeam(tagsFromText(tags)),
      target: targetFromText(target),
      usage: usageFromText(usage),
    }
  })
}
