import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { suffixFloor } from '#domain/id.ts'
import type { Mode } from '#domain/application-config.ts'
import type { CallHold, CallRecord, CallSettlement, Page, RequestFilter } from '#domain/records.ts'
import type { Requests } from '#domain/store.ts'
import { fieldsOf } from '#store/sql/columns.ts'
import type { Query } from '#store/sql/database.ts'
import {
  boundFromText,
  legsFromText,
  quoteFromText,
  targetFromText,
  usageFromText,
} from '#store/rows/json-columns.ts'
import type { HoldRow, RequestRow, UsageRecordRow } from '#store/sql/schema.ts'
import { pageOfRows } from './paging.ts'

/**
 * The tables of calls: in flight, ended and charged, ended and charged nothing. A call is never in two of them.
 */
type Place = 'holds' | 'usage_records' | 'requests'

export function requests(query: Query): Requests {
  return {
    async list(applicationId, mode, filter, page) {
      // Reads each table from the same id on, so that the first `limit` of the merged rows are right. Calls
      // in flight first: a call that ends in between is seen twice, and not missed.
      const own = await withPerson(query, filter)
      if (own === null) return { rows: [], next: null }
      const of = { applicationId, mode, filter: own, page }
      const { status } = filter
      const open = isAnyOf(status, ['in_flight']) ? await openCalls(query, of) : []
      const charged = isAnyOf(status, ['settled', 'recovered']) ? await chargedCalls(query, of) : []
      const uncharged = isAnyOf(status, ['released', 'refused', 'recovered'])
        ? await unchargedCalls(query, of)
        : []
      const ended = [...charged, ...uncharged]
      const seen = new Set(ended.map(({ callId }) => callId))
      const calls = [...ended, ...open.filter(({ callId }) => !seen.has(callId))]
      calls.sort((one, other) => (one.callId < other.callId ? 1 : -1))
      return pageOfRows(
        calls,
        page,
        (call) => ({ at: call.atMs, id: call.callId }),
        (call) => call,
      )
    },
    async story(applicationId, mode, callId) {
      const held = await query
        .selectFrom('holds')
        .innerJoin('end_users', 'end_users.id', 'holds.end_user_id')
        .innerJoin('quotes', 'quotes.id', 'holds.quote_id')
        .selectAll('holds')
        .select(['end_users.external_id', 'quotes.body'])
        .where('holds.application_id', '=', applicationId)
        .where('holds.mode', '=', mode)
        .where('holds.call_id', '=', callId)
        .executeTakeFirst()
      const used = await query
        .selectFrom('usage_records')
        .innerJoin('end_users', 'end_users.id', 'usage_records.end_user_id')
        .innerJoin('quotes', 'quotes.id', 'usage_records.quote_id')
        .selectAll('usage_records')
        .select(['end_users.external_id', 'quotes.body'])
        .where('usage_records.application_id', '=', applicationId)
        .where('usage_records.mode', '=', mode)
        .where('usage_records.call_id', '=', callId)
        .executeTakeFirst()
      if (used) {
        const call = chargedCallOf(used)
        return { call, trace: used.trace, hold: null, settlement: settlementOf(used) }
      }
      const row = await query
        .selectFrom('requests')
        .leftJoin('end_users', 'end_users.id', 'requests.end_user_id')
        .selectAll('requests')
        .select('end_users.external_id')
        .where('requests.application_id', '=', applicationId)
        .where('requests.mode', '=', mode)
        .where('requests.call_id', '=', callId)
        .executeTakeFirst()
      if (row) return { call: unchargedCallOf(row), trace: row.trace, hold: null, settlement: null }
      return held ? { call: openCallOf(held), trace: null, hold: holdOf(held), settlement: null } : null
    },
    async latency(applicationId, mode, sinceMs) {
      const windowOf = (place: 'usage_records' | 'requests') =>
        query
          .selectFrom(place)
          .select(['latency_ms', 'http_status'])
          .where('application_id', '=', applicationId)
          .where('call_id', '>=', suffixFloor(sinceMs))
          .where('mode', '=', mode)
      const window = query.selectFrom(windowOf('usage_records').unionAll(windowOf('requests')).as('calls'))
      const counts = await window
        .select((eb) => [
          eb.fn.countAll<number>().as('calls'),
          sql<number | null>`sum(case when http_status >= 500 then 1 else 0 end)`.as('failures'),
          sql<number | null>`sum(case when http_status between 400 and 499 then 1 else 0 end)`.as('refusals'),
        ])
        .executeTakeFirstOrThrow()
      const percentile = async (percent: number): Promise<number | null> => {
        if (counts.calls === 0) return null
        // Nearest rank: the smallest value that at least `percent` of the calls do not exceed.
        const rank = Math.ceil((counts.calls * percent) / 100)
        const row = await window
          .select('latency_ms')
          .orderBy('latency_ms')
          .limit(1)
          .offset(rank - 1)
          .executeTakeFirst()
        return row?.latency_ms ?? null
      }
      return {
        calls: counts.calls,
        failures: counts.failures ?? 0,
        refusals: counts.refusals ?? 0,
        p50Ms: await percentile(50),
        p99Ms: await percentile(99),
      }
    },
  }
}

/** A key belongs to one person, and calls are found by person. Null: there is no such key. */
async function withPerson(query: Query, filter: RequestFilter): Promise<RequestFilter | null> {
  if (filter.keyId === null || filter.endUserId !== null) return filter
  const key = await query
    .selectFrom('keys')
    .select('end_user_id')
    .where('id', '=', filter.keyId)
    .executeTakeFirst()
  return key === undefined ? null : { ...filter, endUserId: key.end_user_id }
}

interface Wanted {
  readonly applicationId: string
  readonly mode: Mode
  readonly filter: RequestFilter
  readonly page: Page
}

function isAnyOf(status: RequestFilter['status'], those: readonly string[]): boolean {
  return status === null || those.includes(status)
}

/** The filter of all three tables; each has its own filter by `status`. */
function isWanted(place: Place, { applicationId, mode, filter, page }: Wanted): RawBuilder<SqlBool> {
  const { alias, endUserId, keyId } = filter
  const columns = { application_id: applicationId, mode, alias, end_user_id: endUserId, key_id: keyId }
  const tests = Object.entries(columns)
    .filter(([, value]) => value !== null)
    .map(([column, value]) => sql<SqlBool>`${sql.ref(`${place}.${column}`)} = ${value}`)
  if (page.after) tests.push(sql<SqlBool>`${sql.ref(`${place}.call_id`)} < ${page.after.id}`)
  return sql.join(tests, sql` and `)
}

async function chargedCalls(query: Query, wanted: Wanted): Promise<CallRecord[]> {
  const { status } = wanted.filter
  const rows = await query
    .selectFrom('usage_records')
    .innerJoin('end_users', 'end_users.id', 'usage_records.end_user_id')
    .selectAll('usage_records')
    .select('end_users.external_id')
    .where(isWanted('usage_records', wanted))
    .$if(status !== null, (all) =>
      all.where('usage_records.token_source', status === 'recovered' ? '=' : '<>', 'recovered'),
    )
    .orderBy('usage_records.call_id', 'desc')
    .limit(wanted.page.limit + 1)
    .execute()
  return rows.map(chargedCallOf)
}

async function unchargedCalls(query: Query, wanted: Wanted): Promise<CallRecord[]> {
  const { status } = wanted.filter
  const rows = await query
    .selectFrom('requests')
    .leftJoin('end_users', 'end_users.id', 'requests.end_user_id')
    .selectAll('requests')
    .select('end_users.external_id')
    .where(isWanted('requests', wanted))
    .$if(status !== null, (all) => all.where(sql.ref('requests.status'), '=', status))
    .orderBy('requests.call_id', 'desc')
    .limit(wanted.page.limit + 1)
    .execute()
  return rows.map(unchargedCallOf)
}

async function openCalls(query: Query, wanted: Wanted): Promise<CallRecord[]> {
  const rows = await query
    .selectFrom('holds')
    .innerJoin('end_users', 'end_users.id', 'holds.end_user_id')
    .selectAll('holds')
    .select('end_users.external_id')
    .where(isWanted('holds', wanted))
    .orderBy('holds.call_id', 'desc')
    .limit(wanted.page.limit + 1)
    .execute()
  return rows.map(openCallOf)
}

function chargedCallOf(row: UsageRecordRow & { external_id: string }): CallRecord {
  return {
    ...endedCallOf(row),
    status: row.token_source === 'recovered' ? 'recovered' : 'settled',
    chargeMicros: row.charge_micros,
    overHoldMicros: row.over_hold_micros,
  }
}

function unchargedCallOf(row: RequestRow & { external_id: string | null }): CallRecord {
  return { ...endedCallOf(row), status: row.status, chargeMicros: 0n, overHoldMicros: 0n }
}

function endedCallOf(
  row: Omit<RequestRow, 'status'> & { external_id: string | null },
): Omit<CallRecord, 'status' | 'chargeMicros' | 'overHoldMicros'> {
  const { call_id, mode, end_user_id, external_id, key_id, alias, wire, streamed } = row
  const { http_status, error_code, at_ms, latency_ms, first_byte_ms } = row
  return {
    ...fieldsOf({ call_id, mode, end_user_id, external_id, key_id, alias, wire }),
    isStreamed: streamed === 1,
    ...fieldsOf({ http_status, error_code, at_ms, latency_ms, first_byte_ms }),
  }
}

function openCallOf(row: HoldRow & { external_id: string }): CallRecord {
  const { call_id, mode, end_user_id, external_id, key_id, alias, reserved_at_ms } = row
  return {
    ...fieldsOf({ call_id, mode, end_user_id, external_id, key_id, alias }),
    wire: null,
    isStreamed: null,
    status: 'in_flight',
    httpStatus: null,
    errorCode: null,
    atMs: reserved_at_ms,
    latencyMs: null,
    firstByteMs: null,
    chargeMicros: 0n,
    overHoldMicros: 0n,
  }
}

function holdOf(row: HoldRow & { body: string }): CallHold {
  const { worst_micros, worst_credits, reserved_at_ms, dispatched_at_ms, input_estimate } = row
  return {
    quote: quoteFromText(row.quote_id, row.body),
    bound: boundFromText(row.bound),
    legs: legsFromText(row.legs),
    checkpoint: row.checkpoint === null ? null : usageFromText(row.checkpoint),
    target: targetFromText(row.target),
    ...fieldsOf({ worst_micros, worst_credits, reserved_at_ms, dispatched_at_ms, input_estimate }),
  }
}

function settlementOf(row: UsageRecordRow & { body: string }): CallSettlement {
  const { cost_micros, billed_micros, charge_micros, over_hold_micros, worst_micros } = row
  const { token_source, outcome_slug, run_id, settled_at_ms } = row
  return {
    quote: quoteFromText(row.quote_id, row.body),
    usage: usageFromText(row.usage),
    legs: legsFromText(row.legs),
    target: targetFromText(row.target),
    ...fieldsOf({ cost_micros, billed_micros, charge_micros, over_hold_micros, worst_micros }),
    ...fieldsOf({ token_source, outcome_slug, run_id, settled_at_ms }),
  }
}
