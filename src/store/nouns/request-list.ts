/**
 * A call is in one of three tables: in flight, ended and charged, or ended without a charge. All tables are read from
 * the same ID, and their rows are merged.
 *
 * Each table is read along one index, which covers some of the filters. Other filters are tested row by row, on a
 * limited number of rows (`ListBounds`). At this limit, the page is shorter than requested. The next page continues
 * after the last tested row (same rule as google.aip.dev/158 "Page size"). SQLite has no index by end user, because it
 * would add a page write to each call. An end user's older calls are found through ledger entries.
 */
import { type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import { suffixFloor } from '#domain/ids-sorted-by-time.ts'
import type { Mode } from '#domain/application-config.ts'
import type { RequestFilter } from '#domain/calls/call-filter.ts'
import type { CallRecord } from '#domain/calls/call-record.ts'
import type { Page, Rows } from '#domain/list-page.ts'
import { isPostgres, type Query } from '#store/sql/database-interface.ts'
import type { HoldRow, Schema } from '#store/sql/schema.ts'
import { hasLabel, labelOf } from '#store/rows/labels-of-calls.ts'
import { callAtPosition } from '#store/rows/find-call-at-list-position.ts'
import { clockAheadMs } from '#store/rows/read-ended-calls-by-time.ts'
import { holdsInSlots } from '#store/rows/read-rows-of-open-holds.ts'
import { boundFromText, targetPrefix } from '#store/rows/json-columns.ts'
import { callsByEntries } from './calls-found-by-ledger-entries.ts'
import { lastNeeded, listBounds, type ListBounds, merged, nothing, type Part } from './merge-into-page.ts'
import { chargedCallOf, openCallOf, unchargedCallOf, unchargedRows } from './read-call-records.ts'

type Place = 'holds' | 'usage_records' | 'requests'

export async function listRequests(
  query: Query,
  applicationId: string,
  mode: Mode,
  asked: RequestFilter,
  page: Page,
  bounds = listBounds,
): Promise<Rows<CallRecord>> {
  const filter = await withPerson(query, asked)
  if (filter === null) return { rows: [], next: null }
  const isTimed = filter.fromMs !== null || filter.toMs !== null
  const aheadMs = isTimed ? await clockAheadMs(query, applicationId, mode) : 0
  const list = new CallList(query, { applicationId, mode, filter, page, bounds, aheadMs })
  // Read calls in flight first, so that a call that ends between the reads is found twice, but never missed.
  const parts = [await list.open(), ...(await list.charged())]
  return merged([...parts, await list.uncharged(lastNeeded(parts, page))], page)
}

/** Returns null if the key does not exist. */
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
  readonly bounds: ListBounds
  /** How far the mode's clock is ahead of the times in call IDs. If not 0, the list tests the time of each row. */
  readonly aheadMs: number
}

/** A filter of the list. */
type Condition =
  | 'application'
  | 'mode'
  | 'endUser'
  | 'key'
  | 'alias'
  | 'account'
  | 'status'
  | 'failed'
  | 'statusClass'
  | 'errorCode'
  | 'httpStatus'
  | 'minCost'
  | 'outcome'
  | 'run'
  | 'tag'
  | 'team'
  | 'call'
  | 'from'
  | 'to'
  | 'free'

/** Conditions for which one index can find the rows. */
type Path = readonly Condition[]

interface Scan {
  /** Only lower IDs are read, newest first. Defaults to the start of the page. */
  readonly from?: string | null
  /** Inclusive. Null means no limit. */
  readonly lowest?: string | null
  /** Number of rows to test in each step. */
  readonly rowsMax?: readonly number[]
}

class CallList {
  readonly #query: Query
  readonly #wanted: Wanted

  constructor(query: Query, wanted: Wanted) {
    this.#query = query
    this.#wanted = wanted
  }

  async open(): Promise<Part> {
    const { errorCode, httpStatus = null, minCostMicros, status, statusClass } = this.#wanted.filter
    const isOver =
      errorCode !== null || httpStatus !== null || statusClass !== null || (minCostMicros ?? 0n) > 0n
    if (isOver || (status !== null && status !== 'in_flight')) return nothing
    const rows = isPostgres(this.#query) ? await this.#holds() : await this.#holdsInSlots()
    return { calls: rows.map(openCallOf), horizon: null }
  }

  #holds(): Promise<(HoldRow & { external_id: string })[]> {
    const all = this.#query.selectFrom('holds')
    return this.#page('holds', all, this.#conditions('holds'), this.#before, null)
      .innerJoin('end_users', 'end_users.id', 'holds.end_user_id')
      .selectAll('holds')
      .select('end_users.external_id')
      .limit(this.#wanted.page.limit + 1)
      .execute()
  }

  async #holdsInSlots(): Promise<(HoldRow & { external_id: string })[]> {
    const { aheadMs, applicationId, filter, mode, page } = this.#wanted
    const { accountId, alias, callId = null, endUserId, keyId, outcomeSlug = null, runId = null } = filter
    const { payerId = null, tag = null } = filter
    const before = this.#before
    const from = this.#from
    const of = { applicationId, callId: null, limit: page.limit + 1 }
    const { fromMs, toMs } = filter
    const isInTime = ({ reserved_at_ms: ms }: HoldRow): boolean =>
      aheadMs === 0 || ((fromMs === null || ms >= fromMs) && (toMs === null || ms < toMs))
    const rows = await holdsInSlots(
      this.#query,
      of,
      (call) =>
        call.mode === mode &&
        call.call_id >= from &&
        (before === null || call.call_id < before) &&
        (endUserId === null || call.end_user_id === endUserId) &&
        (keyId === null || call.key_id === keyId) &&
        (alias === null || call.alias === alias) &&
        (accountId === null || call.accountId === accountId) &&
        (callId === null || call.call_id === callId) &&
        (outcomeSlug === null || call.row().outcome_slug === outcomeSlug) &&
        (runId === null || call.row().run_id === runId) &&
        (tag === null || boundFromText(call.row().bound).tags?.includes(tag) === true) &&
        (payerId === null || boundFromText(call.row().bound).payerId === payerId) &&
        isInTime(call.row()),
    )
    if (rows.length === 0) return []
    const people = await this.#query
      .selectFrom('end_users')
      .select(['id', 'external_id'])
      .where(
        'id',
        'in',
        rows.map((row) => row.end_user_id),
      )
      .execute()
    const names = new Map(people.map(({ external_id, id }) => [id, external_id]))
    return rows.map((row) => ({ ...row, external_id: names.get(row.end_user_id) ?? '' }))
  }

  async charged(): Promise<readonly Part[]> {
    const { filter } = this.#wanted
    if (!isAnyOf(filter.status, ['settled', 'recovered'])) return []
    const { callId = null, endUserId } = filter
    if (endUserId !== null && callId === null && !isPostgres(this.#query)) return this.#chargedOf(endUserId)
    return [await this.#scanned('usage_records', this.#pathOfCharged())]
  }

  /**
   * Reads the application's newest charged calls, and then the end user's newest ledger entries. If the page is not
   * full, reads more calls of the application, and finally more and more entries, up to all entries. The cost of a page
   * therefore depends on the number of newer calls, and not on the number of all calls of the end user.
   */
  async #chargedOf(endUserId: string): Promise<readonly Part[]> {
    const { bounds, page } = this.#wanted
    const [fewRows = 1, ...manyRows] = bounds.rowsMax
    const newest = await this.#scanned('usage_records', ['application'], { rowsMax: [fewRows] })
    if (newest.horizon === null) return [newest]
    const freeCalls = ['application', 'mode', 'endUser', 'free'] as const
    const parts = [
      { calls: newest.calls, horizon: null },
      await this.#scanned('usage_records', freeCalls, { from: newest.horizon }),
    ]
    const byEntries = await this.#chargedByEntries(endUserId, newest.horizon, bounds.entriesMax)
    if (byEntries !== null) return [...parts, byEntries]
    const manyOf = { from: newest.horizon, rowsMax: manyRows }
    const more = await this.#scanned('usage_records', ['application'], manyOf)
    if (more.horizon === null || newest.calls.length + more.calls.length > page.limit) return [...parts, more]
    const last = bounds.entriesMax.at(-1) ?? 1
    const rest = await this.#chargedByEntries(endUserId, more.horizon, [4 * last, 16 * last, 64 * last, null])
    return [...parts, { calls: more.calls, horizon: null }, rest ?? nothing]
  }

  /** @param lowest lower IDs are not needed; null means that all calls may be needed */
  async uncharged(lowest: string | null): Promise<Part> {
    const { outcomeSlug = null, runId = null, status } = this.#wanted.filter
    const isOfRun = outcomeSlug !== null || runId !== null
    if (!isAnyOf(status, ['released', 'refused', 'recovered']) || isOfRun) return nothing
    return this.#scanned('requests', this.#pathOfUncharged(), { lowest })
  }

  #pathOfCharged(): Path {
    const { alias, callId = null, endUserId, status } = this.#wanted.filter
    const isFailed = isOfFailures(this.#wanted.filter)
    const onPostgres = isPostgres(this.#query)
    if (callId !== null) return ['application', 'call']
    if (endUserId !== null) return ['endUser']
    if (isFailed) return ['application', 'mode', 'failed']
    if (status === 'recovered') return ['application', 'mode', 'status']
    if (!onPostgres) return ['application']
    return alias === null ? ['application', 'mode'] : ['application', 'mode', 'alias']
  }

  #pathOfUncharged(): Path {
    const { alias, callId = null, endUserId, status } = this.#wanted.filter
    if (callId !== null) return ['application', 'call']
    if (endUserId !== null) return ['endUser']
    if (!isPostgres(this.#query)) return ['application']
    if (status !== null) return ['application', 'mode', 'status']
    return alias === null ? ['application', 'mode'] : ['application', 'mode', 'alias']
  }

  async #scanned(
    place: 'usage_records' | 'requests',
    path: Path,
    { from = this.#before, lowest = null, rowsMax: rowsMaxOf = this.#wanted.bounds.rowsMax }: Scan = {},
  ): Promise<Part> {
    const all = this.#conditions(place)
    if (path.includes('free')) all.set('free', free)
    // If the index contains the mode, mark the mode's rows as few. Otherwise, SQLite prefers the primary key to the
    // index (sqlite.org/lang_corefunc.html "unlikely").
    const inMode = all.get('mode')
    if (inMode && path.includes('mode') && !isPostgres(this.#query))
      all.set('mode', sql<SqlBool>`unlikely(${inMode})`)
    const along = new Map([...all].filter(([name]) => path.includes(name)))
    const { page } = this.#wanted
    const calls: CallRecord[] = []
    let before = from
    // If the index covers all conditions, the page size alone limits the reads.
    const steps = along.size === all.size ? [null] : rowsMaxOf
    for (const rowsMax of steps) {
      // oxlint-disable-next-line no-await-in-loop -- the first step is nearly always the last
      const floor = rowsMax === null ? null : await this.#floor(place, along, { before, lowest }, rowsMax)
      const rest = page.limit + 1 - calls.length
      // oxlint-disable-next-line no-await-in-loop -- see above
      calls.push(...(await this.#calls(place, all, before, floor ?? lowest, rest)))
      if (calls.length > page.limit || floor === null) return { calls, horizon: null }
      before = floor
    }
    return { calls, horizon: before }
  }

  /** Null if there are fewer rows. */
  #floor(
    place: 'usage_records' | 'requests',
    along: ReadonlyMap<Condition, RawBuilder<SqlBool>>,
    { before, lowest }: { readonly before: string | null; readonly lowest: string | null },
    rowsMax: number,
  ): Promise<string | null> {
    const from =
      place === 'usage_records' ? this.#query.selectFrom('usage_records') : this.#query.selectFrom('requests')
    const id = sql.ref<string>(`${place}.call_id`)
    return callAtPosition(this.#query, this.#page(place, from, along, before, lowest), id, rowsMax)
  }

  async #calls(
    place: 'usage_records' | 'requests',
    conditions: ReadonlyMap<Condition, RawBuilder<SqlBool>>,
    before: string | null,
    floor: string | null,
    limit: number,
  ): Promise<CallRecord[]> {
    if (place === 'requests') {
      const rows = this.#page(place, this.#query.selectFrom('requests'), conditions, before, floor)
      return (await unchargedRows(this.#query, rows.limit(limit))).map(unchargedCallOf)
    }
    const rows = await this.#page(place, this.#query.selectFrom('usage_records'), conditions, before, floor)
      .innerJoin('end_users', 'end_users.id', 'usage_records.end_user_id')
      .selectAll('usage_records')
      .select('end_users.external_id')
      .limit(limit)
      .execute()
    return rows.map(chargedCallOf)
  }

  /**
   * Returns the end user's calls before `before` that debited a source, by their ledger entries.
   * @param steps number of ledger entries to read; null means all entries
   * @returns null if these entries are not enough for a page
   */
  async #chargedByEntries(
    endUserId: string,
    before: string,
    steps: readonly (number | null)[],
  ): Promise<Part | null> {
    const { applicationId, bounds, mode, page } = this.#wanted
    // If a test clock is ahead, entries are later than the times in call IDs, so all entries must be read.
    const isAhead = (await clockAheadMs(this.#query, applicationId, mode)) > 0
    const { entryCallsMax: callsMax, lateMs } = bounds
    const asked = { endUserId, mode, before, from: this.#from, callsMax, lateMs }
    const calls: CallRecord[] = []
    // Each step finds the calls of earlier steps again. Do not read their records twice.
    const tested = new Set<string>()
    for (const entriesMax of isAhead ? [null] : steps) {
      // oxlint-disable-next-line no-await-in-loop -- the first step is nearly always the last
      const { callIds, hasMore, horizon } = await callsByEntries(this.#query, { ...asked, entriesMax })
      // oxlint-disable-next-line no-await-in-loop -- see above
      calls.push(
        ...(await this.#matching(
          callIds.filter((id) => !tested.has(id)),
          page.limit + 1 - calls.length,
        )),
      )
      for (const id of callIds) tested.add(id)
      if (calls.length > page.limit || !hasMore) return { calls, horizon }
    }
    return null
  }

  async #matching(callIds: readonly string[], callsMax: number): Promise<CallRecord[]> {
    const { limit } = this.#wanted.page
    const conditions = this.#conditions('usage_records')
    const calls: CallRecord[] = []
    for (let at = 0; at < callIds.length && calls.length < callsMax; at += limit + 1) {
      const ids = callIds.slice(at, at + limit + 1)
      const all = new Map(conditions)
      all.set('call', sql<SqlBool>`usage_records.call_id IN (${sql.join(ids)})`)
      // oxlint-disable-next-line no-await-in-loop -- unless the filters match rarely, the first step is also the last
      calls.push(...(await this.#calls('usage_records', all, null, null, callsMax - calls.length)))
    }
    return calls
  }

  /** Newest first: IDs before `before`, and not below the lowest allowed ID. */
  #page<P extends Place, Row>(
    place: P,
    rows: SelectQueryBuilder<Schema, P, Row>,
    conditions: ReadonlyMap<Condition, RawBuilder<SqlBool>>,
    before: string | null,
    floor: string | null,
  ): SelectQueryBuilder<Schema, P, Row> {
    const id = sql.ref<string>(`${place}.call_id`)
    const lowest = floor ?? this.#from
    const tests = [...conditions.values()]
    if (before !== null) tests.push(sql<SqlBool>`${id} < ${before}`)
    if (lowest !== '') tests.push(sql<SqlBool>`${id} >= ${lowest}`)
    return rows.where(sql.join<SqlBool>(tests, sql` and `)).orderBy(id, 'desc')
  }

  /** The end of the time range or the start of the page, whichever comes first. Null if neither is set. */
  get #before(): string | null {
    const { filter, page } = this.#wanted
    const end = filter.toMs === null ? null : suffixFloor(filter.toMs)
    const after = page.after?.id ?? null
    if (end === null || after === null) return end ?? after
    return end < after ? end : after
  }

  /** The call ID at the start of the time range. Empty if the range has no start. */
  get #from(): string {
    const { aheadMs, filter } = this.#wanted
    return filter.fromMs === null ? '' : suffixFloor(Math.max(0, filter.fromMs - aheadMs))
  }

  #conditions(place: Place): Map<Condition, RawBuilder<SqlBool>> {
    const { applicationId, filter, mode } = this.#wanted
    const conditions = new Map<Condition, RawBuilder<SqlBool>>()
    const column = (name: string): RawBuilder<unknown> => sql.ref(`${place}.${name}`)
    const is = (name: Condition, of: string, value: string | null): void => {
      if (value !== null) conditions.set(name, sql<SqlBool>`${column(of)} = ${value}`)
    }
    is('application', 'application_id', applicationId)
    is('mode', 'mode', mode)
    is('endUser', 'end_user_id', filter.endUserId)
    is('key', 'key_id', filter.keyId)
    is('alias', 'alias', filter.alias)
    is('call', 'call_id', filter.callId ?? null)
    if (place !== 'requests') {
      is('outcome', 'outcome_slug', filter.outcomeSlug ?? null)
      is('run', 'run_id', filter.runId ?? null)
    }
    const { payerId = null, tag = null } = filter
    // The labels are the last part of the column `bound` of a hold. JSON escapes the quotes in all texts before that
    // part.
    const labels = place === 'holds' ? sql`split_part(${column('bound')}, '"tags":', 2)` : column('tags')
    if (tag !== null) conditions.set('tag', hasLabel(this.#query, labels, tag))
    if (payerId !== null) conditions.set('team', hasLabel(this.#query, labels, labelOf('team', payerId)))
    if (filter.accountId !== null) {
      const prefix = targetPrefix(filter.accountId)
      conditions.set(
        'account',
        sql<SqlBool>`substr(${column('target')}, 1, ${sql.lit(prefix.length)}) = ${prefix}`,
      )
    }
    const { aheadMs } = this.#wanted
    const at = column(place === 'holds' ? 'reserved_at_ms' : 'at_ms')
    if (aheadMs > 0 && filter.fromMs !== null) conditions.set('from', sql<SqlBool>`${at} >= ${filter.fromMs}`)
    if (aheadMs > 0 && filter.toMs !== null) conditions.set('to', sql<SqlBool>`${at} < ${filter.toMs}`)
    if (place === 'holds') return conditions
    const { errorCode, httpStatus = null, minCostMicros, status, statusClass } = filter
    if (httpStatus !== null)
      conditions.set('httpStatus', sql<SqlBool>`${column('http_status')} = ${httpStatus}`)
    if (place === 'requests') is('status', 'status', status)
    else if (status !== null) conditions.set('status', status === 'recovered' ? recovered : notRecovered)
    is('errorCode', 'error_code', errorCode)
    if (statusClass !== null) {
      const floor = Number(statusClass.charAt(0)) * 100
      const code = column('http_status')
      conditions.set(
        'statusClass',
        sql<SqlBool>`${code} >= ${sql.lit(floor)} and ${code} < ${sql.lit(floor + 100)}`,
      )
    }
    if (minCostMicros !== null) {
      // Null for a request without attempts.
      const cost = sql`coalesce(${column('cost_micros')}, 0)`
      conditions.set('minCost', sql<SqlBool>`${cost} >= ${minCostMicros}`)
    }
    if (place === 'requests') return conditions
    // Every 4xx or 5xx response has a code, and the codes of charged calls have an index.
    if (isOfFailures(filter)) conditions.set('failed', sql<SqlBool>`usage_records.error_code is not null`)
    return conditions
  }
}

function isOfFailures({ errorCode, httpStatus = null, statusClass }: RequestFilter): boolean {
  return errorCode !== null || statusClass === '4xx' || statusClass === '5xx' || (httpStatus ?? 0) >= 400
}

// Must equal the SQL expression in the index.
const recovered = sql<SqlBool>`usage_records.token_source = 'recovered'`
const notRecovered = sql<SqlBool>`usage_records.token_source <> 'recovered'`
/** Only a call that debited a source has a first ledger entry. */
const free = sql<SqlBool>`usage_records.first_entry is null`

function isAnyOf(status: RequestFilter['status'], those: readonly string[]): boolean {
  return status === null || those.includes(status)
}
