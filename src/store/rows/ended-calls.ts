/**
 * Calls by the time they ended, for sums over spans of time. Tables are in the order in which calls began: a span is
 * read from `longMs` before it on, and the few that took longer are found through an index of their own
 * (`usage_records_long`).
 */
import { type RawBuilder, sql } from 'kysely'
import { suffixFloor } from '#domain/id.ts'
import type { Mode } from '#domain/application-config.ts'
import { isPostgres, type Query } from '#store/sql/database.ts'
import type { Target } from '#domain/ledger.ts'
import { type Money, zeroMoney } from '#domain/figures.ts'
import { listed, type MoneyColumns, moneyColumns, moneyIn } from '#store/sql/figure-columns.ts'
import { attemptsFromText, type StoredAttempt } from './attempts.ts'
import { targetFromText } from './json-columns.ts'

export interface EndedSpan {
  readonly applicationId: string
  readonly mode: Mode
  /** Included. */
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
}

/** What sums need of a call. */
export interface EndedCall {
  readonly endedAtMs: number
  readonly isCharged: boolean
  readonly accountId: string | null
  /** The provider's model; null: as the account. */
  readonly model: string | null
  /** Those that did not answer, of other targets and of this one; where none did, the last of them is the call's end. */
  readonly attempts: readonly StoredAttempt[]
  readonly alias: string | null
  readonly httpStatus: number
  readonly errorCode: string | null
  readonly latencyMs: number
  readonly firstByteMs: number | null
  /** Slug of the bundle; null: the call died with its process, was rejected, or money was not asked for. */
  readonly bundle: string | null
  /** Null: the call belongs to no run, nothing was charged, or money was not asked for. */
  readonly run: EndedRun | null
  /** With the cost of its failed attempts. Null: nothing was charged, or money was not asked for. */
  readonly money: Money | null
  /** Failed attempts that cost something; empty if money was not asked for. */
  readonly attemptCosts: readonly AttemptCost[]
}

export interface EndedRun {
  readonly outcomeSlug: string
  readonly runId: string
  readonly endUserId: string
}

interface AttemptCost {
  readonly accountId: string
  readonly costMicros: bigint
}

/** A part of a call by the account that caused it. */
export interface CallPart {
  readonly accountId: string | null
  readonly bundle: string | null
  /** Whether the call counts here: with the account that answered it. */
  readonly isCall: boolean
  readonly money: Money | null
}

/**
 * A call as its accounts see it: the answer with its money, then the cost of each failed attempt with the account that
 * made it. A provider invoices its own work, so the column by provider can be laid beside the provider's invoice.
 */
export function partsOf({ accountId, attemptCosts, bundle, isCharged, money }: EndedCall): CallPart[] {
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
 * How far a mode is ahead of the time in the ids of its calls: that of the test clock now, which never falls
 * (domain/test-clock.ts). A call of a time in the mode began by its id at that time, or so much earlier.
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

/** As the index of long calls has it. */
export const longMs = 600_000
/** The longest that a call without a charge takes: the deadline of a provider, and some waiting. */
export const longestMs = 3_900_000
/** A few milliseconds of the thread. */
const rowsAtOnce = 500

export interface EndedReading {
  /** Whether the money is wanted: it is half of the reading. */
  readonly hasMoney: boolean
  /** Awaited between two steps: others may need the thread. */
  readonly turn?: () => Promise<unknown>
}

/**
 * Hands on each call that ended in the span, those that began last first, so that memory stays bounded.
 */
export async function eachEndedCall(
  query: Query,
  span: EndedSpan,
  each: (call: EndedCall) => void,
  { hasMoney, turn }: EndedReading,
): Promise<void> {
  const decode = decoder(hasMoney)
  const aheadMs = await clockAheadMs(query, span.applicationId, span.mode)
  for (const read of [chargedIn, longIn, unchargedIn]) {
    let before: string | null = null
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- a page after the other
      const rows: EndedRow[] = await read(query, { ...span, aheadMs }, before, hasMoney)
      for (const row of rows) each(decode(row, read !== unchargedIn))
      const last = rows.at(-1)
      if (last === undefined || rows.length < rowsAtOnce || read === longIn) break
      before = last.call_id
      // oxlint-disable-next-line no-await-in-loop -- as above
      await turn?.()
    }
  }
}

/** The span's start, or a later time from which on about so many calls, charged and not, have begun. */
export async function startOfNewest(
  query: Query,
  { applicationId, fromMs, mode, toMs }: EndedSpan,
  callsMax: number,
): Promise<number> {
  const aheadMs = await clockAheadMs(query, applicationId, mode)
  let startMs = fromMs
  for (const table of ['usage_records', 'requests'] as const) {
    // oxlint-disable-next-line no-await-in-loop -- two
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

interface EndedRow {
  readonly call_id: string
  readonly ended_at_ms: number
  readonly target: string | null
  readonly attempts: string | null
  readonly alias: string | null
  readonly http_status: number
  readonly error_code: string | null
  readonly latency_ms: number
  readonly first_byte_ms: number | null
  readonly bundle?: string | null
  readonly end_user_id?: string
  readonly outcome_slug?: string | null
  readonly run_id?: string | null
}

type MoneyRow = EndedRow & MoneyColumns

const none: readonly StoredAttempt[] = []

function decoder(hasMoney: boolean): (row: EndedRow, isCharged: boolean) => EndedCall {
  // Few texts, each for many calls.
  const targets = new Map<string, Target>()
  const targetOf = (text: string): Target => {
    let target = targets.get(text)
    if (target === undefined) targets.set(text, (target = targetFromText(text)))
    return target
  }
  return (row, isCharged) => {
    const attempts = row.attempts === null ? none : attemptsFromText(row.attempts)
    return {
      endedAtMs: row.ended_at_ms,
      isCharged,
      accountId: row.target === null ? null : targetOf(row.target).accountId,
      model: row.target === null ? null : targetOf(row.target).model,
      attempts,
      alias: row.alias,
      httpStatus: row.http_status,
      errorCode: row.error_code,
      latencyMs: row.latency_ms,
      firstByteMs: row.first_byte_ms,
      bundle: row.bundle ?? null,
      run: runOf(row),
      money: hasMoneyOf(row) ? moneyIn(row) : null,
      attemptCosts: hasMoney && attempts.length > 0 ? costsOf(attempts) : noCosts,
    }
  }
}

const noCosts: readonly AttemptCost[] = []

function costsOf(attempts: readonly StoredAttempt[]): AttemptCost[] {
  return attempts
    .filter(({ costMicros }) => costMicros > 0n)
    .map(({ costMicros, target }) => ({ accountId: target.accountId, costMicros }))
}

function runOf({ end_user_id, outcome_slug = null, run_id = null }: EndedRow): EndedRun | null {
  if (outcome_slug === null || run_id === null || end_user_id === undefined) return null
  return { outcomeSlug: outcome_slug, runId: run_id, endUserId: end_user_id }
}

/** A call that was charged nothing is read without the columns. */
function hasMoneyOf(row: EndedRow): row is MoneyRow {
  return 'charge_micros' in row
}

/** What is ahead widens the ids that are looked at. */
type Read = (
  query: Query,
  span: EndedSpan & { readonly aheadMs: number },
  before: string | null,
  hasMoney: boolean,
) => Promise<EndedRow[]>

const chargedIn: Read = (query, { aheadMs, applicationId, fromMs, mode, toMs }, before, hasMoney) =>
  rowsOf(
    query,
    sql`SELECT ${chargedColumns(query, hasMoney)} FROM usage_records
      WHERE application_id = ${applicationId} AND mode = ${mode}
        AND call_id >= ${suffixFloor(Math.max(0, fromMs - aheadMs - longMs))}
        AND call_id < ${before ?? suffixFloor(toMs + longMs)}
        AND settled_at_ms >= ${fromMs} AND settled_at_ms < ${toMs} AND settled_at_ms - at_ms <= 600000
      ORDER BY call_id DESC LIMIT ${rowsAtOnce}`,
  )

/** Few: read whole. */
const longIn: Read = (query, { applicationId, fromMs, mode, toMs }, _, hasMoney) =>
  rowsOf(
    query,
    sql`SELECT ${chargedColumns(query, hasMoney)} FROM usage_records
      WHERE application_id = ${applicationId} AND ${inMode(query, mode)}
        AND settled_at_ms >= ${fromMs} AND settled_at_ms < ${toMs} AND settled_at_ms - at_ms > 600000`,
  )

/** SQLite prefers its primary key unless it is told that few rows are meant (request-list.ts does the same). */
function inMode(query: Query, mode: Mode): RawBuilder<unknown> {
  return isPostgres(query) ? sql`mode = ${mode}` : sql`unlikely(mode = ${mode})`
}

/** Names that a call was refused for may be any text: a name is told where it led to an account. */
const unchargedIn: Read = (query, { aheadMs, applicationId, fromMs, mode, toMs }, before, hasMoney) =>
  rowsOf(
    query,
    sql`SELECT call_id, at_ms + latency_ms AS ended_at_ms,
        CASE WHEN status = 'refused' THEN NULL ELSE target END AS target,
        CASE WHEN target IS NULL THEN NULL ELSE alias END AS alias, http_status, error_code, latency_ms,
        first_byte_ms, attempts${hasMoney ? sql`, ${bundleOfFailed(query)} AS bundle` : sql``}
      FROM requests
      WHERE application_id = ${applicationId} AND mode = ${mode}
        AND call_id >= ${suffixFloor(Math.max(0, fromMs - aheadMs - longestMs))}
        AND call_id < ${before ?? suffixFloor(toMs + longMs)}
        AND at_ms + latency_ms >= ${fromMs} AND at_ms + latency_ms < ${toMs}
      ORDER BY call_id DESC LIMIT ${rowsAtOnce}`,
  )

function chargedColumns(query: Query, hasMoney: boolean): RawBuilder<unknown> {
  const figures = sql`call_id, settled_at_ms AS ended_at_ms, target, attempts, alias, http_status, error_code, latency_ms,
    first_byte_ms`
  if (!hasMoney) return figures
  return sql`${figures}, ${bundleOfTrace(query)} AS bundle, end_user_id, outcome_slug, run_id,
    ${sql.raw(listed(moneyColumns))}`
}

/**
 * The slug of the bundle that sold a charged call. The trace of a whole response is a list that begins with the slug,
 * which has no escapes (domain/trace-format.ts). The trace of a call that broke midway is an object of named sections.
 * Null: the call died with its process.
 */
export function bundleOfTrace(query: Query): RawBuilder<unknown> {
  const slug = isPostgres(query)
    ? sql`split_part(trace, '"', 2)`
    : sql`substr(trace, 3, instr(substr(trace, 3, 80), '"') - 1)`
  return sql`CASE WHEN substr(trace, 1, 2) = '["' THEN ${slug}
    WHEN substr(trace, 1, 2) = '{"' THEN ${bundleInSections(query)} END`
}

/** Of a call that was charged nothing, where attempts of it cost something. */
function bundleOfFailed(query: Query): RawBuilder<unknown> {
  return sql`CASE WHEN cost_micros > 0 AND substr(trace, 1, 2) = '{"' THEN ${bundleInSections(query)} END`
}

function bundleInSections(query: Query): RawBuilder<unknown> {
  return isPostgres(query)
    ? sql`trace::json -> 'policy' ->> 'bundle'`
    : sql`json_extract(trace, '$.policy.bundle')`
}

async function rowsOf(query: Query, statement: RawBuilder<unknown>): Promise<EndedRow[]> {
  const { rows } = await statement.execute(query)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns above
  return rows as EndedRow[]
}
