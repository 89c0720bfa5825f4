/**
 * Reads calls by the time they ended, for sums over time ranges. The tables are sorted by the time at which calls
 * began. The reads therefore begin `longMs` before the time range, because most calls take less time. The indexes
 * `usage_records_long` and `requests_long` find the longer calls.
 */
import { type RawBuilder, sql } from 'kysely'
import { suffixFloor } from '#domain/ids-sorted-by-time.ts'
import type { Mode } from '#domain/application-config.ts'
import { isPostgres, type Query } from '#store/sql/database-interface.ts'
import type { Target } from '#domain/ledger-interface.ts'
import { type Money, zeroMoney } from '#domain/sums-of-request-figures.ts'
import { listed, type MoneyColumns, moneyColumns, moneyIn } from '#store/sql/sql-of-figure-columns.ts'
import { attemptsFromText, type StoredAttempt } from './failed-attempts-column.ts'
import { targetFromText } from './json-columns.ts'
import { tagsFromText } from './tags-columns.ts'

export interface EndedSpan {
  readonly applicationId: string
  readonly mode: Mode
  /** Inclusive. */
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
}

/** Describes one call, or a group of equal calls (group-ended-calls.ts). */
export interface EndedCalls {
  /** For a group, the start of its period. */
  readonly endedAtMs: number
  readonly isCharged: boolean
  readonly accountId: string | null
  /** The provider's model. Null if the account is null. */
  readonly model: string | null
  /** At any target. If all attempts failed, the last attempt also ended the call. */
  readonly attempts: readonly StoredAttempt[]
  readonly alias: string | null
  readonly httpStatus: number
  readonly errorCode: string | null
  /**
   * Slug of the bundle. Null if the call was rejected, if its process died, or if money was not read (`EndedReading`).
   */
  readonly bundle: string | null
  /**
   * The tags and the team (labels-of-calls.ts). Empty if the call has no tags and no team, or if money was not read.
   */
  readonly labels: readonly string[]
  /** Includes the cost of failed attempts. Null if the call was not charged, or if money was not read. */
  readonly money: Money | null
  /** Failed attempts with a cost. Empty if money was not read. */
  readonly attemptCosts: readonly AttemptCost[]
}

export interface EndedCall extends EndedCalls {
  readonly latencyMs: number
  readonly firstByteMs: number | null
  /** Null if the call belongs to no run or has no cost, or if money was not read. */
  readonly run: EndedRun | null
}

export interface EndedRun {
  readonly outcomeSlug: string
  readonly runId: string
  readonly endUserId: string
}

export interface AttemptCost {
  readonly accountId: string
  readonly costMicros: bigint
}

export interface CallPart {
  readonly accountId: string | null
  readonly bundle: string | null
  /** True only for the part of the account that returned the response, so that each call is counted once. */
  readonly isCall: boolean
  readonly money: Money | null
}

/**
 * Divides a call's money among its provider accounts. The parts are the response with its money, and the cost of each
 * failed attempt. Each provider invoices the work it did, so sums by provider can be compared with the provider's
 * invoices.
 */
export function partsOf({ accountId, attemptCosts, bundle, isCharged, money }: EndedCalls): CallPart[] {
  if (attemptCosts.length === 0)
    return [{ accountId, bundle: isCharged ? bundle : null, isCall: true, money }]
  const own = money && { ...money }
  const parts: CallPart[] = [{ accountId, bundle: isCharged ? bundle : null, isCall: true, money: own }]
  for (const attempt of attemptCosts) {
    if (own !== null) own.costMicros -= attempt.costMicros
    const spent = { ...zeroMoney(), costMicros: attempt.costMicros }
    parts.push({ accountId: attempt.accountId, bundle, isCall: false, money: spent })
  }
  return parts
}

/**
 * Returns how far the clock of a mode is ahead of the time in its call IDs, in milliseconds. This is the test clock's
 * current offset, which never decreases (domain/test-clock.ts). By the mode's clock, a call began at most this long
 * after the time in its ID.
 */
export async function clockAheadMs(query: Query, applicationId: string, mode: Mode): Promise<number> {
  if (mode === 'live') return 0
  const row = await query
    .selectFrom('applications')
    .select('test_clock_offset_ms')
    .where('id', '=', applicationId)
    .executeTakeFirst()
  return row?.test_clock_offset_ms ?? 0
}

/** Longer calls are in the index of long calls, whose condition contains the same number. */
export const longMs = 600_000
/**
 * The deadline of a provider plus some waiting time. Calls without a charge that took longer are background responses
 * and requests of batches, and are in the index of long uncharged calls, whose condition contains the same number.
 */
export const longestMs = 3_900_000
/** Reading this many rows blocks the thread for a few milliseconds. */
const rowsAtOnce = 500

export interface EndedReading {
  /** Whether to read the columns of money, which takes about half of the total time. */
  readonly hasMoney: boolean
  /** Awaited between two steps, so that other work can use the thread. */
  readonly turn?: (() => Promise<unknown>) | undefined
}

/**
 * Passes the calls one by one, so that memory use is limited. Charged calls come first, then long charged calls, then
 * uncharged calls, each list from the newest call.
 */
export async function eachEndedCall(
  query: Query,
  span: EndedSpan,
  each: (call: EndedCall) => void,
  { hasMoney, turn }: EndedReading,
): Promise<void> {
  const decode = decoder(hasMoney)
  await eachRow<EndedRow>(query, span, {
    hasMoney,
    turn,
    take(row, isCharged) {
      const { first_byte_ms: firstByteMs, latency_ms: latencyMs } = row
      each({ ...decode(row, isCharged), latencyMs, firstByteMs, run: runOf(row) })
      return 1
    },
  })
}

interface Reading<Row> extends EndedReading {
  readonly rowsMax?: number
  /** Groups the rows of a statement. */
  readonly grouped?: (rows: RawBuilder<unknown>, list: List) => RawBuilder<unknown>
  /** @returns the number of calls in the row */
  readonly take: (row: Row, isCharged: boolean) => number
}

export async function eachRow<Row extends { readonly call_id: string }>(
  query: Query,
  span: EndedSpan,
  { grouped, hasMoney, rowsMax = rowsAtOnce, take, turn }: Reading<Row>,
): Promise<void> {
  const aheadMs = await clockAheadMs(query, span.applicationId, span.mode)
  for (const list of [charged, long, uncharged, longUncharged]) {
    let before: string | null = null
    for (;;) {
      const rows = list(query, { ...span, aheadMs, before, hasMoney, rowsMax })
      // oxlint-disable-next-line no-await-in-loop -- pages are read one after another
      const read = await rowsOf<Row>(query, grouped === undefined ? rows : grouped(rows, list))
      let calls = 0
      for (const row of read) {
        calls += take(row, isOfCharges(list))
        if (before === null || row.call_id < before) before = row.call_id
      }
      if (calls < rowsMax || list === long || list === longUncharged) break
      // oxlint-disable-next-line no-await-in-loop -- see above
      await turn?.()
    }
  }
}

export function isOfCharges(list: List): boolean {
  return list === charged || list === long
}

/**
 * Returns the start of a time range with about `callsMax` calls at most, charged or not. Never earlier than `fromMs`.
 */
export async function startOfNewest(
  query: Query,
  { applicationId, fromMs, mode, toMs }: EndedSpan,
  callsMax: number,
): Promise<number> {
  const aheadMs = await clockAheadMs(query, applicationId, mode)
  let startMs = fromMs
  for (const table of ['usage_records', 'requests'] as const) {
    // oxlint-disable-next-line no-await-in-loop -- two iterations
    const row = await query
      .selectFrom(table)
      .select('at_ms')
      .where('application_id', '=', applicationId)
      .where('mode', '=', mode)
      .where('call_id', '>=', suffixFloor(Math.max(0, fromMs - aheadMs)))
      .where('call_id', '<', suffixFloor(toMs))
      .$if(aheadMs > 0, (some) => some.where('at_ms', '>=', fromMs).where('at_ms', '<', toMs))
      .orderBy('call_id', 'desc')
      .limit(1)
      .offset(callsMax - 1)
      .executeTakeFirst()
    if (row && row.at_ms > startMs) startMs = row.at_ms
  }
  return startMs
}

export interface CommonColumns {
  readonly call_id: string
  readonly ended_at_ms: number
  readonly target?: string | null
  readonly attempts?: string | null
  readonly alias?: string | null
  readonly http_status: number
  readonly error_code: string | null
  readonly bundle?: string | null
  readonly tags?: string | null
}

interface EndedRow extends CommonColumns {
  readonly latency_ms: number
  readonly first_byte_ms: number | null
  readonly end_user_id?: string | null
  readonly outcome_slug?: string | null
  readonly run_id?: string | null
}

const none: readonly StoredAttempt[] = []

export function decoder(hasMoney: boolean): (row: CommonColumns, isCharged: boolean) => EndedCalls {
  // Many calls share few different targets.
  const targets = new Map<string, Target>()
  const targetOf = (text: string): Target => {
    let target = targets.get(text)
    if (target === undefined) targets.set(text, (target = targetFromText(text)))
    return target
  }
  return (row, isCharged) => {
    const { alias = null, target = null } = row
    const attempts = row.attempts ? attemptsFromText(row.attempts) : none
    return {
      endedAtMs: row.ended_at_ms,
      isCharged,
      accountId: target === null ? null : targetOf(target).accountId,
      model: target === null ? null : targetOf(target).model,
      attempts,
      alias,
      httpStatus: row.http_status,
      errorCode: row.error_code,
      bundle: row.bundle ?? null,
      labels: tagsFromText(row.tags ?? null),
      money: hasMoneyOf(row) ? moneyIn(row) : null,
      attemptCosts: hasMoney && attempts.length > 0 ? costsOf(attempts) : noCosts,
    }
  }
}

const noCosts: readonly AttemptCost[] = []

export function costsOf(attempts: readonly StoredAttempt[]): AttemptCost[] {
  return attempts
    .filter(({ costMicros }) => costMicros > 0n)
    .map(({ costMicros, target }) => ({ accountId: target.accountId, costMicros }))
}

function runOf({ end_user_id = null, outcome_slug = null, run_id = null }: EndedRow): EndedRun | null {
  if (outcome_slug === null || run_id === null || end_user_id === null) return null
  return { outcomeSlug: outcome_slug, runId: run_id, endUserId: end_user_id }
}

/** Columns of money are not read for calls without a charge. */
function hasMoneyOf(row: CommonColumns): row is CommonColumns & MoneyColumns {
  return 'charge_micros' in row
}

interface Page extends EndedSpan {
  /** A test clock can be this far ahead of call IDs, so the range of IDs begins that much earlier. */
  readonly aheadMs: number
  readonly before: string | null
  readonly hasMoney: boolean
  readonly rowsMax: number
}

export type List = (query: Query, page: Page) => RawBuilder<unknown>

const charged: List = (query, { aheadMs, applicationId, before, fromMs, hasMoney, mode, rowsMax, toMs }) =>
  sql`SELECT ${chargedColumns(query, hasMoney)} FROM usage_records
    WHERE application_id = ${applicationId} AND mode = ${mode}
      AND call_id >= ${suffixFloor(Math.max(0, fromMs - aheadMs - longMs))}
      AND call_id < ${before ?? suffixFloor(toMs + longMs)}
      AND settled_at_ms >= ${fromMs} AND settled_at_ms < ${toMs} AND settled_at_ms - at_ms <= 600000
    ORDER BY call_id DESC LIMIT ${rowsMax}`

/** There are few long calls, so read all. */
const long: List = (query, { applicationId, fromMs, hasMoney, mode, toMs }) =>
  sql`SELECT ${chargedColumns(query, hasMoney)} FROM usage_records
    WHERE application_id = ${applicationId} AND ${inMode(query, mode)}
      AND settled_at_ms >= ${fromMs} AND settled_at_ms < ${toMs} AND settled_at_ms - at_ms > 600000`

/**
 * `unlikely` marks the mode's rows as few. Otherwise, SQLite prefers the primary key to the index with the mode, as in
 * request-list.ts.
 */
export function inMode(query: Query, mode: Mode): RawBuilder<unknown> {
  return isPostgres(query) ? sql`mode = ${mode}` : sql`unlikely(mode = ${mode})`
}

/**
 * A client may send any text as the model name of a rejected call. Return the name only if it resolved to an account.
 */
const uncharged: List = (query, { aheadMs, applicationId, before, fromMs, hasMoney, mode, rowsMax, toMs }) =>
  sql`SELECT ${unchargedColumns(query, hasMoney)} FROM requests
    WHERE application_id = ${applicationId} AND mode = ${mode}
      AND call_id >= ${suffixFloor(Math.max(0, fromMs - aheadMs - longestMs))}
      AND call_id < ${before ?? suffixFloor(toMs + longMs)}
      AND at_ms + latency_ms >= ${fromMs} AND at_ms + latency_ms < ${toMs} AND latency_ms <= 3900000
    ORDER BY call_id DESC LIMIT ${rowsMax}`

/** There are few long calls, so read all. */
const longUncharged: List = (query, { applicationId, fromMs, hasMoney, mode, toMs }) =>
  sql`SELECT ${unchargedColumns(query, hasMoney)} FROM requests
    WHERE application_id = ${applicationId} AND ${inMode(query, mode)}
      AND at_ms + latency_ms >= ${fromMs} AND at_ms + latency_ms < ${toMs} AND latency_ms > 3900000`

function unchargedColumns(query: Query, hasMoney: boolean): RawBuilder<unknown> {
  return sql`call_id, at_ms + latency_ms AS ended_at_ms,
    CASE WHEN status = 'refused' THEN NULL ELSE target END AS target,
    CASE WHEN target IS NULL THEN NULL ELSE alias END AS alias, http_status, error_code, latency_ms,
    first_byte_ms, attempts${hasMoney ? sql`, end_user_id, tags, ${policyOfFailed(query)}` : sql``}`
}

function chargedColumns(query: Query, hasMoney: boolean): RawBuilder<unknown> {
  const figures = sql`call_id, settled_at_ms AS ended_at_ms, target, attempts, alias, http_status, error_code, latency_ms,
    first_byte_ms`
  if (!hasMoney) return figures
  return sql`${figures}, ${bundleOfTrace(query)} AS bundle, end_user_id, outcome_slug, run_id, tags,
    ${sql.raw(listed(moneyColumns))}`
}

/**
 * The trace of a completed response is a list that begins with the bundle's slug, without escapes
 * (explain/convert-trace-to-text.ts). The trace of an interrupted response is an object with named sections. Null if
 * the process died during the call.
 */
export function bundleOfTrace(query: Query): RawBuilder<unknown> {
  const slug = isPostgres(query)
    ? sql`split_part(trace, '"', 2)`
    : sql`substr(trace, 3, instr(substr(trace, 3, 80), '"') - 1)`
  return sql`CASE WHEN substr(trace, 1, 2) = '["' THEN ${slug}
    WHEN substr(trace, 1, 2) = '{"' THEN ${policyIn(query, 'bundle')} END`
}

function policyOfFailed(query: Query): RawBuilder<unknown> {
  const of = (name: PolicyName): RawBuilder<unknown> =>
    sql`CASE WHEN cost_micros > 0 AND substr(trace, 1, 2) = '{"' THEN ${policyIn(query, name)} END`
  return sql`${of('bundle')} AS bundle, ${of('outcome')} AS outcome_slug, ${of('run')} AS run_id`
}

type PolicyName = 'bundle' | 'outcome' | 'run'

function policyIn(query: Query, name: PolicyName): RawBuilder<unknown> {
  return isPostgres(query)
    ? sql`trace::json -> 'policy' ->> ${sql.lit(name)}`
    : sql`json_extract(trace, ${sql.lit(`$.policy.${name}`)})`
}

async function rowsOf<Row>(query: Query, statement: RawBuilder<unknown>): Promise<Row[]> {
  const { rows } = await statement.execute(query)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns selected above
  return rows as Row[]
}
