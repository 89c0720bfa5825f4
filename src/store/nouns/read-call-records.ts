import type { SelectQueryBuilder } from 'kysely'
import type { Mode } from '#domain/billing/money-account-key.ts'
import type { CallRecord } from '#domain/calls/call-record.ts'
import { recordNames, zeroOf } from '#domain/sums-of-request-figures.ts'
import { figuresIn } from '#store/sql/sql-of-figure-columns.ts'
import { isDistributed, type Query } from '#store/sql/database-interface.ts'
import { fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import { tagsAndTeam } from '#store/rows/labels-of-calls.ts'
import { boundFromText, targetFromText, usageFromText } from '#store/rows/json-columns.ts'
import { tagsFromText } from '#store/rows/tags-columns.ts'
import type { HoldRow, RequestRow, Schema, UsageRecordRow } from '#store/sql/schema.ts'

/** The caller adds further conditions. */
export function chargedRows(query: Query, applicationId: string, mode: Mode) {
  return query
    .selectFrom('usage_records')
    .innerJoin('end_users', 'end_users.id', 'usage_records.end_user_id')
    .selectAll('usage_records')
    .select('end_users.external_id')
    .where('usage_records.application_id', '=', applicationId)
    .where('usage_records.mode', '=', mode)
}

export function unchargedIn(query: Query, applicationId: string, mode: Mode): Uncharged {
  return query
    .selectFrom('requests')
    .where('requests.application_id', '=', applicationId)
    .where('requests.mode', '=', mode)
}

type Uncharged = SelectQueryBuilder<Schema, 'requests', object>
type UnchargedRow = RequestRow & { readonly external_id: string | null }

export async function unchargedRows(query: Query, selected: Uncharged): Promise<UnchargedRow[]> {
  if (!isDistributed(query)) {
    return selected
      .leftJoin('end_users', 'end_users.id', 'requests.end_user_id')
      .selectAll('requests')
      .select('end_users.external_id')
      .execute()
  }
  // Read the end users separately: `requests` and `end_users` have different distribution columns, so a node cannot
  // join them (postgres/sql-for-sharded-tables.ts).
  const rows = await selected.selectAll('requests').execute()
  const ids = [...new Set(rows.flatMap(({ end_user_id: id }) => id ?? []))]
  const people =
    ids.length === 0
      ? []
      : await query.selectFrom('end_users').select(['id', 'external_id']).where('id', 'in', ids).execute()
  const names = new Map(people.map(({ external_id: name, id }) => [id, name]))
  return rows.map((row) => ({ ...row, external_id: names.get(row.end_user_id ?? '') ?? null }))
}

export function chargedCallOf(row: UsageRecordRow & { external_id: string }): CallRecord {
  return {
    ...endedCallOf(row),
    status: row.token_source === 'recovered' ? 'recovered' : 'settled',
    target: targetFromText(row.target),
    ...recordIn(row),
    assumedMicros: row.assumed_micros ?? 0n,
    isDisputed: isDisputedIn(row),
    cachedInputTokens: usageFromText(row.usage).cacheRead,
  }
}

/** Whether the provider may charge a different amount. Null if the record does not say. */
export function isDisputedIn({ disputed }: Pick<UsageRecordRow, 'disputed'>): boolean | null {
  return disputed === null ? null : disputed === 1
}

/** The cost is the known cost of failed attempts, which the application pays. */
export function unchargedCallOf(row: UnchargedRow): CallRecord {
  return {
    ...endedCallOf(row),
    ...unused,
    costMicros: row.cost_micros ?? 0n,
    assumedMicros: row.assumed_micros ?? 0n,
    status: row.status,
    target: row.target === null ? null : targetFromText(row.target),
  }
}

export function openCallOf(row: HoldRow & { external_id: string }): CallRecord {
  const { call_id, mode, end_user_id, external_id, key_id, alias, reserved_at_ms } = row
  const { payerId = null, tags = [] } = boundFromText(row.bound)
  return {
    ...fieldsOf({ call_id, mode, end_user_id, external_id, key_id, alias }),
    ...unused,
    tags,
    payerId,
    target: targetFromText(row.target),
    wire: null,
    isStreamed: null,
    status: 'in_flight',
    httpStatus: null,
    errorCode: null,
    atMs: reserved_at_ms,
    latencyMs: null,
    firstByteMs: null,
  }
}

const recordIn = figuresIn(recordNames)

const unused = { ...zeroOf(recordNames), assumedMicros: 0n, isDisputed: null, cachedInputTokens: 0 }

type Ended = Omit<RequestRow, 'assumed_micros' | 'attempts' | 'cost_micros' | 'status' | 'target'> & {
  external_id: string | null
}

function endedCallOf(row: Ended): Omit<CallRecord, keyof typeof unused | 'status' | 'target'> {
  const { call_id, mode, end_user_id, external_id, key_id, alias, wire, streamed } = row
  const { http_status, error_code, at_ms, latency_ms, first_byte_ms } = row
  return {
    ...fieldsOf({ call_id, mode, end_user_id, external_id, key_id, alias, wire }),
    isStreamed: streamed === 1,
    ...tagsAndTeam(tagsFromText(row.tags)),
    ...fieldsOf({ http_status, error_code, at_ms, latency_ms, first_byte_ms }),
  }
}
