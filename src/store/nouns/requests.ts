import { sql } from 'kysely'
import { suffixFloor } from '#domain/id.ts'
import type { Mode } from '#domain/snapshot.ts'
import type { CallHold, CallRecord, CallSettlement, Page, RequestFilter, Requests } from '#domain/store.ts'
import type { Query } from '#store/database.ts'
import {
  boundFromText,
  legsFromText,
  quoteFromText,
  targetFromText,
  usageFromText,
} from '#store/ledger/codec.ts'
import type { HoldRow, RequestRow, UsageRecordRow } from '#store/schema.ts'
import { pageOfRows } from './rows.ts'

export function requests(query: Query): Requests {
  return {
    async list(applicationId, mode, filter, page) {
      // A call is in one of the two tables: its settle or release moves it. Both are read from the same
      // place on, so that the first `limit` of the merged rows are right.
      const ended =
        filter.status === 'in_flight' ? [] : await endedCalls(query, applicationId, mode, filter, page)
      const isOpenWanted = filter.status === null || filter.status === 'in_flight'
      const open = isOpenWanted ? await openCalls(query, applicationId, mode, filter, page) : []
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
    async story(applicationId, callId) {
      const row = await query
        .selectFrom('requests')
        .leftJoin('end_users', 'end_users.id', 'requests.end_user_id')
        .selectAll('requests')
        .select('end_users.external_id')
        .where('requests.application_id', '=', applicationId)
        .where('requests.call_id', '=', callId)
        .executeTakeFirst()
      const held = await query
        .selectFrom('holds')
        .innerJoin('end_users', 'end_users.id', 'holds.end_user_id')
        .innerJoin('quotes', 'quotes.id', 'holds.quote_id')
        .selectAll('holds')
        .select(['end_users.external_id', 'quotes.body'])
        .where('holds.application_id', '=', applicationId)
        .where('holds.call_id', '=', callId)
        .executeTakeFirst()
      const call = row ? endedCallOf(row) : held ? openCallOf(held) : null
      if (!call) return null
      const used = await query
        .selectFrom('usage_records')
        .innerJoin('quotes', 'quotes.id', 'usage_records.quote_id')
        .selectAll('usage_records')
        .select('quotes.body')
        .where('usage_records.application_id', '=', applicationId)
        .where('usage_records.call_id', '=', callId)
        .executeTakeFirst()
      return {
        call,
        trace: row?.trace ?? null,
        hold: held ? holdOf(held) : null,
        settlement: used ? settlementOf(used) : null,
      }
    },
    async latency(applicationId, mode, sinceMs) {
      const window = query
        .selectFrom('requests')
        .where('application_id', '=', applicationId)
        .where('call_id', '>=', suffixFloor(sinceMs))
        .where('mode', '=', mode)
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

async function endedCalls(
  query: Query,
  applicationId: string,
  mode: Mode,
  { alias, endUserId, keyId, status }: RequestFilter,
  page: Page,
): Promise<CallRecord[]> {
  const rows = await query
    .selectFrom('requests')
    .leftJoin('end_users', 'end_users.id', 'requests.end_user_id')
    .selectAll('requests')
    .select('end_users.external_id')
    .where('requests.application_id', '=', applicationId)
    .where('requests.mode', '=', mode)
    .$if(endUserId !== null, (all) => all.where('requests.end_user_id', '=', endUserId))
    .$if(keyId !== null, (all) => all.where('requests.key_id', '=', keyId))
    .$if(alias !== null, (all) => all.where('requests.alias', '=', alias))
    .$if(status !== null && status !== 'in_flight', (all) =>
      all.where('requests.status', '=', status === null || status === 'in_flight' ? 'settled' : status),
    )
    .$if(page.after !== null, (all) => all.where('requests.call_id', '<', page.after?.id ?? ''))
    .orderBy('requests.call_id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return rows.map(endedCallOf)
}

async function openCalls(
  query: Query,
  applicationId: string,
  mode: Mode,
  { alias, endUserId, keyId }: RequestFilter,
  page: Page,
): Promise<CallRecord[]> {
  const rows = await query
    .selectFrom('holds')
    .innerJoin('end_users', 'end_users.id', 'holds.end_user_id')
    .selectAll('holds')
    .select('end_users.external_id')
    .where('holds.application_id', '=', applicationId)
    .where('holds.mode', '=', mode)
    .$if(endUserId !== null, (all) => all.where('holds.end_user_id', '=', endUserId ?? ''))
    .$if(keyId !== null, (all) => all.where('holds.key_id', '=', keyId ?? ''))
    .$if(alias !== null, (all) => all.where('holds.alias', '=', alias ?? ''))
    .$if(page.after !== null, (all) => all.where('holds.call_id', '<', page.after?.id ?? ''))
    .orderBy('holds.call_id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return rows.map(openCallOf)
}

function endedCallOf(row: RequestRow & { external_id: string | null }): CallRecord {
  return {
    callId: row.call_id,
    mode: row.mode,
    endUserId: row.end_user_id,
    externalId: row.external_id,
    keyId: row.key_id,
    alias: row.alias,
    wire: row.wire,
    isStreamed: row.streamed === 1,
    status: row.status,
    httpStatus: row.http_status,
    errorCode: row.error_code,
    atMs: row.at_ms,
    latencyMs: row.latency_ms,
    firstByteMs: row.first_byte_ms,
    chargeMicros: row.charge_micros,
  }
}

function openCallOf(row: HoldRow & { external_id: string }): CallRecord {
  return {
    callId: row.call_id,
    mode: row.mode,
    endUserId: row.end_user_id,
    externalId: row.external_id,
    keyId: row.key_id,
    alias: row.alias,
    wire: null,
    isStreamed: null,
    status: 'in_flight',
    httpStatus: null,
    errorCode: null,
    atMs: row.reserved_at_ms,
    latencyMs: null,
    firstByteMs: null,
    chargeMicros: 0n,
  }
}

function holdOf(row: HoldRow & { body: string }): CallHold {
  return {
    quote: quoteFromText(row.quote_id, row.body),
    bound: boundFromText(row.bound),
    worstMicros: row.worst_micros,
    worstCredits: row.worst_credits,
    legs: legsFromText(row.legs),
    reservedAtMs: row.reserved_at_ms,
    dispatchedAtMs: row.dispatched_at_ms,
    checkpoint: row.checkpoint === null ? null : usageFromText(row.checkpoint),
    inputEstimate: row.input_estimate,
    target: targetFromText(row.target),
  }
}

function settlementOf(row: UsageRecordRow & { body: string }): CallSettlement {
  return {
    quote: quoteFromText(row.quote_id, row.body),
    usage: usageFromText(row.usage),
    tokenSource: row.token_source,
    costMicros: row.cost_micros,
    billedMicros: row.billed_micros,
    chargeMicros: row.charge_micros,
    overHoldMicros: row.over_hold_micros,
    worstMicros: row.worst_micros,
    legs: legsFromText(row.legs),
    outcomeSlug: row.outcome_slug,
    runId: row.run_id,
    settledAtMs: row.settled_at_ms,
    target: targetFromText(row.target),
  }
}
