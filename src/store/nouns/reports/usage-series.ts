/**
 * Each function reads only stored sums, and the calls of hours whose sums are not stored yet:
 *
 * - Hours, and days by account and bundle: `call_hours` (for tags and teams: `tag_hours`), plus the sums of later hours
 *   (hours-without-stored-sums.ts).
 * - Days of all end users: `call_hours` for the counts of how calls ended, and the sums of days for money and tokens.
 * - Days of end users and keys: the newest `rowsMax` rows of `usage_days`.
 * - Minutes: the newest `callsMax` calls.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { noFailures } from '#domain/health/class-of-failure.ts'
import { addMoney, recordNames, tokenNames, zeroOf } from '#domain/sums-of-request-figures.ts'
import { Histogram } from '#domain/reports/duration-histogram.ts'
import type {
  SeriesAsked,
  SeriesBucket,
  SeriesOrder,
  UsageSeries,
} from '#domain/reports/usage-series-interface.ts'
import { dayMs, hourMs } from '#money/periods-and-windows.ts'
import {
  anyOf,
  hasLabel,
  isLabelKind,
  isOfKind,
  kindOf,
  labelAsked,
  type LabelKind,
  labelOf,
  nameOf,
  namesOf,
} from '#store/rows/labels-of-calls.ts'
import {
  correctedColumns,
  type FailedColumns,
  failedColumns,
  failedIn,
  figuresIn,
  type MoneyColumns,
  moneyColumns,
  moneyIn,
  recordColumns,
  summed,
} from '#store/sql/sql-of-figure-columns.ts'
import { tagsFromText } from '#store/rows/tags-columns.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { CallHourRow, TagHourRow } from '#store/sql/schema.ts'
import { addMinutes } from './sums-by-minute.ts'
import { applicationDays } from './usage-and-costs-of-application.ts'
import { chargedDays } from './charges-and-corrections-by-day.ts'
import { usageDaysCondition } from './sql-condition-for-usage-days.ts'
import { type Memory, unstoredHours } from './hours-without-stored-sums.ts'
import { dayAfterRows } from './newest-days-within-row-limit.ts'
import { type Cell, Cells, cellSums } from './sums-by-group-and-time.ts'

const lengthsMs: Readonly<Record<SeriesBucket, number>> = { minute: 60_000, hour: hourMs, day: dayMs }

export interface SeriesBounds {
  readonly callsMax: number
  readonly rowsMax: number
  /** If the application has more names, only the largest groups are read over time. */
  readonly namesMax: number
}

export const seriesBounds: SeriesBounds = { callsMax: 100_000, rowsMax: 100_000, namesMax: 100 }

export async function usageSeries(
  query: Query,
  memory: Memory,
  asked: SeriesAsked,
  bounds: SeriesBounds = seriesBounds,
): Promise<UsageSeries> {
  const { by, endUserId, keyId } = asked
  if (by === 'endUser' || by === 'key' || endUserId !== null || keyId !== null)
    return seriesOfPeople(query, asked, bounds)
  if (by === null) return seriesOfCalls(query, memory, asked, bounds)
  const hasMany = asked.bucket !== 'minute' && (await hasManyNames(query, asked, by, bounds.namesMax))
  if (!hasMany && !isLabelKind(by)) return seriesOfCalls(query, memory, asked, bounds)
  // The total of tags and teams is not the sum of their groups: a call counts in each of its tags, and may have none.
  // If there are many names, only the largest groups are read over time. Read the groups before the total, so that the
  // total is never less than the sum of the groups.
  const ofGroups = { ...asked, hasLatency: false }
  const names = hasMany ? await largestNames(query, memory, ofGroups, bounds) : null
  const { groups } = await seriesOfCalls(query, memory, { ...ofGroups, names }, bounds)
  const isOfHours = by === 'provider' || by === 'bundle'
  return { ...(await seriesOfCalls(query, memory, { ...asked, by: null, isOfHours }, bounds)), groups }
}

interface CallsAsked extends SeriesAsked {
  /** Names of the groups to read. Null or absent for all groups. */
  readonly names?: ReadonlySet<string> | null
  /** Whether to add up the whole range in one bucket. */
  readonly isOneBucket?: boolean
  /** Whether to read only the sums of hours, which groups by account and bundle use. */
  readonly isOfHours?: boolean
}

/** Whether the application has so many names that reading all of them over time would take too much memory. */
async function hasManyNames(
  query: Query,
  { applicationId }: SeriesAsked,
  by: keyof typeof groupColumns,
  namesMax: number,
): Promise<boolean> {
  const named = {
    model: sql`SELECT 1 FROM aliases WHERE application_id = ${applicationId}
      UNION ALL SELECT 1 FROM routers WHERE application_id = ${applicationId}`,
    provider: sql`SELECT 1 FROM provider_accounts
      WHERE organization_id = (SELECT organization_id FROM applications WHERE id = ${applicationId})`,
    bundle: sql`SELECT 1 FROM bundles WHERE application_id = ${applicationId}`,
    // The number of tags is limited (operations/tags/shared/tags-view.ts).
    tag: sql`SELECT 1 WHERE 1 = 0`,
    team: sql`SELECT 1 FROM teams WHERE application_id = ${applicationId}`,
  }
  const { rows } = await sql`SELECT 1 FROM (${named[by]}) AS named LIMIT ${namesMax + 1}`.execute(query)
  return rows.length > namesMax
}

async function largestNames(
  query: Query,
  memory: Memory,
  asked: SeriesAsked,
  bounds: SeriesBounds,
): Promise<ReadonlySet<string>> {
  const { groups } = await seriesOfCalls(query, memory, { ...asked, isOneBucket: true }, bounds)
  return new Set(groups.map(({ group }) => group ?? ''))
}

/** Calls by outcome: succeeded, failed or rejected. */
async function seriesOfCalls(
  query: Query,
  memory: Memory,
  asked: CallsAsked,
  { callsMax }: SeriesBounds,
): Promise<UsageSeries> {
  const { accountId, bucket, bundle, by, fromMs } = asked
  const cells = new Cells(by !== null)
  const { isWhole, wholeFromMs } =
    bucket === 'minute'
      ? await addMinutes(query, asked, callsMax, cells)
      : { wholeFromMs: fromMs, isWhole: await addHours(query, memory, asked, callsMax, cells) }
  await addCorrections(query, asked, cells)
  const isDaily = bucket === 'day' && accountId === null && bundle === null && labelAsked(asked) === null
  if (isDaily && asked.isOfHours !== true && (by === null || by === 'model'))
    await setDays(query, asked, cells)
  return { fromMs: wholeFromMs, isWhole, ...cells.series(asked, wholeFromMs) }
}

interface HourSums extends MoneyColumns, FailedColumns {
  readonly bucket: number
  readonly name: string
  readonly calls: number
  readonly charged: number
}

const hourSums = sql.raw(summed(['calls', 'charged', ...failedColumns, ...moneyColumns]))

/** @returns whether all calls are included */
async function addHours(
  query: Query,
  memory: Memory,
  asked: CallsAsked,
  callsMax: number,
  cells: Cells,
): Promise<boolean> {
  const { bucket, by, hasLatency } = asked
  const kind = kindFor(asked)
  const { isWhole, openHour, sums } = await unstoredHours(query, memory, { ...asked, kind, callsMax })
  const name = by === null || by === 'endUser' || by === 'key' ? null : groupColumns[by]
  const groupOf = (of: string): string => (isLabelKind(by) ? nameOf(of) : of)
  const { rows } = await sql<HourSums>`
    SELECT ${bucketOf(asked, sql`hour`, hourMs)} AS bucket, ${name === null ? sql`''` : sql.ref(name)} AS name, ${hourSums}
    FROM ${tables[kind]} WHERE ${ofHours(asked, openHour)} GROUP BY 1, 2`.execute(query)
  for (const row of rows) addHour(cells, row.bucket * lengthsMs[bucket], groupOf(row.name), row)
  if (hasLatency) await addLatencies(query, asked, openHour, cells)
  for (const row of sums.flatMap((of): readonly (CallHourRow | TagHourRow)[] => of[kind])) {
    if (!isAskedHour(asked, row)) continue
    const atMs = asked.isOneBucket === true ? asked.fromMs : floorOf(row.hour * hourMs, bucket)
    addHour(cells, atMs, name === null ? '' : groupOf(String(Reflect.get(row, name))), row)
    if (hasLatency)
      cells.addLatency(atMs, Histogram.fromText(row.latency), Histogram.fromText(row.first_byte))
  }
  return isWhole
}

function addHour(cells: Cells, atMs: number, name: string, row: Omit<HourSums, 'bucket' | 'name'>): void {
  const { calls, charged } = row
  const cell = cells.at(atMs, name === '' ? null : name)
  cellSums.add(cell, { ...noTokens, ...moneyIn(row), calls, charged, failed: failedIn(row) })
}

/**
 * SQL for the number of the bucket that contains a time.
 * @param time SQL for a number of times of the length `eachMs`
 */
function bucketOf(
  { bucket, fromMs, isOneBucket }: CallsAsked,
  time: RawBuilder<unknown>,
  eachMs: number,
): RawBuilder<unknown> {
  const lengthMs = lengthsMs[bucket]
  return isOneBucket === true ? sql.lit(fromMs / lengthMs) : sql`${time} / ${sql.lit(lengthMs / eachMs)}`
}

/** Each correction counts at the time it was made. */
async function addCorrections(query: Query, asked: CallsAsked, cells: Cells): Promise<void> {
  const { accountId, alias, applicationId, bucket, bundle, by, fromMs, mode, names = null, toMs } = asked
  const label = labelAsked(asked)
  const name =
    by === null || by === 'endUser' || by === 'key'
      ? sql`''`
      : sql.ref(isLabelKind(by) ? 'tags' : groupColumns[by])
  const tests = [
    sql`application_id = ${applicationId} AND mode = ${mode} AND day >= ${Math.floor(fromMs / dayMs)}`,
    sql`created_at_ms >= ${fromMs} AND created_at_ms < ${toMs}`,
    ...(alias === null ? [] : [sql`alias = ${alias}`]),
    ...(accountId === null ? [] : [sql`account_id = ${accountId}`]),
    ...(bundle === null ? [] : [sql`bundle = ${bundle}`]),
    ...(label === null ? [] : [hasLabel(query, sql`tags`, label)]),
  ]
  const { rows } = await sql<MoneyColumns & { bucket: number; name: string | null }>`
    SELECT ${bucketOf(asked, sql`created_at_ms`, 1)} AS bucket, ${name} AS name, ${sql.raw(summed(correctedColumns))}
    FROM call_corrections WHERE ${sql.join(tests, sql` AND `)} GROUP BY 1, 2`.execute(query)
  for (const row of rows)
    for (const group of isLabelKind(by) ? namesOf(by, tagsFromText(row.name)) : [row.name || null])
      if (names === null || names.has(group ?? ''))
        addMoney(cells.at(row.bucket * lengthsMs[bucket], group), moneyIn(row))
}

/** Reads one day at a time, so that other work can use the thread in between. */
async function addLatencies(query: Query, asked: SeriesAsked, open: number, cells: Cells): Promise<void> {
  for (let fromMs = asked.fromMs; fromMs < Math.min(asked.toMs, open * hourMs); fromMs += dayMs) {
    const day = { ...asked, fromMs, toMs: Math.min(fromMs + dayMs, asked.toMs) }
    // oxlint-disable-next-line no-await-in-loop -- each day is read after the previous one
    const { rows } = await sql<{ hour: number; latency: string; first_byte: string }>`
      SELECT hour, latency, first_byte FROM ${tables[kindFor(asked)]} WHERE ${ofHours(day, open)}`.execute(
      query,
    )
    for (const { first_byte, hour, latency } of rows)
      cells.addLatency(
        floorOf(hour * hourMs, asked.bucket),
        Histogram.fromText(latency),
        Histogram.fromText(first_byte),
      )
    // oxlint-disable-next-line no-await-in-loop -- see above
    await nextTurn()
  }
}

/** `isAskedHour` tests the same condition for rows in memory. */
function ofHours(asked: CallsAsked, open: number): RawBuilder<unknown> {
  const { accountId, alias, applicationId, bundle, by, fromMs, mode, names = null, toMs } = asked
  const label = labelAsked(asked)
  const tests = [
    sql`application_id = ${applicationId} AND mode = ${mode}`,
    sql`hour >= ${fromMs / hourMs} AND hour < ${Math.min(open, toMs / hourMs)}`,
    ...(alias === null ? [] : [sql`alias = ${alias}`]),
    ...(accountId === null ? [] : [sql`account_id = ${accountId}`]),
    ...(bundle === null ? [] : [sql`bundle = ${bundle}`]),
    ...(label === null ? [] : [sql`tag = ${label}`]),
    ...(isLabelKind(by) ? [sql`tag <> ${anyOf(by)}`, isOfKind(by)] : []),
    ...(names === null || by === null || by === 'endUser' || by === 'key'
      ? []
      : [isAmong(sql.ref(groupColumns[by]), isLabelKind(by) ? labelsOf(by, names) : [...names])]),
  ]
  return sql.join(tests, sql` AND `)
}

function labelsOf(kind: LabelKind, names: ReadonlySet<string>): string[] {
  return [...names].map((name) => labelOf(kind, name))
}

function isAmong(column: RawBuilder<unknown>, values: readonly string[]): RawBuilder<unknown> {
  return values.length === 0 ? sql`1 = 0` : sql`${column} IN (${sql.join(values)})`
}

function isAskedHour(asked: CallsAsked, row: CallHourRow | TagHourRow): boolean {
  const { accountId, alias, bundle, by, names = null } = asked
  const label = labelAsked(asked)
  return (
    (alias === null || row.alias === alias) &&
    (accountId === null || row.account_id === accountId) &&
    (bundle === null || row.bundle === bundle) &&
    (!('tag' in row) ||
      ((label === null || row.tag === label) &&
        (!isLabelKind(by) || (kindOf(row.tag) === by && row.tag !== anyOf(by))))) &&
    (names === null || by === null || by === 'endUser' || by === 'key' || names.has(nameIn(row, by)))
  )
}

function nameIn(row: CallHourRow | TagHourRow, by: keyof typeof groupColumns): string {
  const name = String(Reflect.get(row, groupColumns[by]))
  return isLabelKind(by) ? nameOf(name) : name
}

const groupColumns = {
  model: 'alias',
  provider: 'account_id',
  bundle: 'bundle',
  tag: 'tag',
  team: 'tag',
} as const

const tables = { calls: sql`call_hours`, tags: sql`tag_hours` } as const

function kindFor(asked: SeriesAsked): 'calls' | 'tags' {
  return isLabelKind(asked.by) || labelAsked(asked) !== null ? 'tags' : 'calls'
}

const noTokens = zeroOf(tokenNames)

interface DaySums extends MoneyColumns {
  readonly day: number
  readonly name: string
  readonly charged: number
}

const daySums = sql`sum(calls) AS charged, ${sql.raw(summed(recordColumns))}`
const figuresOfDay = figuresIn(recordNames)

/**
 * Replaces the money and tokens of whole days with the stored sums of days, which other reports show. The stored sums
 * include calls without a charge and calls that ended late.
 */
async function setDays(query: Query, asked: CallsAsked, cells: Cells): Promise<void> {
  const { alias, applicationId, by, fromMs, mode, names = null, toMs } = asked
  const days = { applicationId, mode, fromDay: fromMs / dayMs, toDay: toMs / dayMs }
  const name = by === 'model' ? sql`alias` : sql`''`
  const only = alias === null ? sql`1 = 1` : sql`alias = ${alias}`
  const among = names === null ? sql`1 = 1` : isAmong(sql`alias`, [...names])
  const { rows } = await sql<DaySums>`
    SELECT ${bucketOf(asked, sql`day`, dayMs)} AS day, ${name} AS name, ${daySums}
    FROM ${await applicationDays(query, days)} WHERE ${only} AND ${among} GROUP BY 1, 2`.execute(query)
  cells.clearMoney()
  for (const row of rows) setDay(cells.at(row.day * dayMs, row.name === '' ? null : row.name), row)
}

function setDay(cell: Cell, row: DaySums): void {
  cellSums.add(cell, { ...figuresOfDay(row), calls: 0, charged: row.charged, failed: noFailures() })
}

const dayOrders: Readonly<Record<SeriesOrder, RawBuilder<unknown>>> = {
  chargeMicros: sql`sum(charge_micros)`,
  billedMicros: sql`sum(billed_micros)`,
  costMicros: sql`sum(cost_micros)`,
  calls: sql`sum(calls)`,
}

async function seriesOfPeople(
  query: Query,
  asked: SeriesAsked,
  { rowsMax }: SeriesBounds,
): Promise<UsageSeries> {
  const { by, groupsMax, order, toMs } = asked
  const endUserId = asked.endUserId ?? (asked.keyId === null ? null : await ownerOf(query, asked.keyId))
  const fromMs = endUserId === null ? await daysFrom(query, asked, rowsMax) : asked.fromMs
  const span = { ...asked, fromDay: fromMs / dayMs, toDay: toMs / dayMs }
  const own = ofDays({ ...asked, endUserId, fromMs })
  const days = chargedDays(own, endUserId === null ? undefined : usageDaysCondition(query, span))
  const name =
    by === 'endUser' ? sql`end_user_id` : by === 'key' ? sql`key_id` : by === 'model' ? sql`alias` : sql`''`
  const cells = new Cells(by !== null, { hasTokens: true, isChargedOnly: true })
  let names: readonly string[] = []
  if (by !== null) {
    const top = await sql<{ name: string }>`
      SELECT ${name} AS name FROM ${days} GROUP BY 1
      ORDER BY ${dayOrders[order]} DESC, 1 LIMIT ${groupsMax}`.execute(query)
    names = top.rows.map((row) => row.name)
    if (names.length > 0) {
      const ofGroups = chargedDays(
        sql`${own} AND ${name} IN (${sql.join(names)}) AND ${ownersOf(by, names)}`,
        usageDaysCondition(query, span),
      )
      const { rows } = await sql<DaySums>`
        SELECT day, ${name} AS name, ${daySums} FROM ${ofGroups} GROUP BY 1, 2`.execute(query)
      for (const row of rows) setDay(cells.at(row.day * dayMs, row.name), row)
    }
  }
  // Read the groups before the total, so that the total is never less than the sum of the groups.
  const whole = new Cells(false, { hasTokens: true, isChargedOnly: true })
  const isOfModel = asked.alias === null ? sql`1 = 1` : sql`alias = ${asked.alias}`
  const all = endUserId === null ? sql`${await applicationDays(query, span)} WHERE ${isOfModel}` : days
  const { rows } = await sql<DaySums>`SELECT day, '' AS name, ${daySums} FROM ${all} GROUP BY 1`.execute(
    query,
  )
  for (const row of rows) setDay(whole.at(row.day * dayMs, null), row)
  const known = by === 'endUser' ? await externalIds(query, names) : null
  const { groups } = cells.series(asked, fromMs)
  return {
    fromMs,
    isWhole: fromMs <= asked.fromMs || fromMs >= toMs,
    all: whole.series(asked, fromMs).all,
    groups: groups.map((of) => ({ ...of, group: (known?.get(of.group ?? '') ?? of.group) || null })),
  }
}

/** With this condition, the rows of each day are found by their primary key. */
function ownersOf(by: SeriesAsked['by'], names: readonly string[]): RawBuilder<unknown> {
  if (by === 'key') return sql`end_user_id IN (SELECT end_user_id FROM keys WHERE id IN (${sql.join(names)}))`
  return sql`1 = 1`
}

async function ownerOf(query: Query, keyId: string): Promise<string> {
  const key = await query.selectFrom('keys').select('end_user_id').where('id', '=', keyId).executeTakeFirst()
  return key?.end_user_id ?? ''
}

async function externalIds(query: Query, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await query
    .selectFrom('end_users')
    .select(['id', 'external_id'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ external_id, id }) => [id, external_id]))
}

/**
 * The first of the newest days that together have at most `rowsMax` rows. The last day if this day alone has more rows.
 */
async function daysFrom(query: Query, asked: SeriesAsked, rowsMax: number): Promise<number> {
  const { applicationId, fromMs, mode, toMs } = asked
  const span = { applicationId, mode, fromDay: fromMs / dayMs, toDay: toMs / dayMs }
  const day = await dayAfterRows(query, span, rowsMax)
  return day === null ? fromMs : Math.min((day + 1) * dayMs, toMs - dayMs)
}

function ofDays({
  alias,
  applicationId,
  endUserId,
  fromMs,
  keyId,
  mode,
  toMs,
}: SeriesAsked): RawBuilder<unknown> {
  const tests = [
    sql`application_id = ${applicationId} AND mode = ${mode}`,
    sql`day >= ${fromMs / dayMs} AND day < ${toMs / dayMs}`,
    ...(endUserId === null ? [] : [sql`end_user_id = ${endUserId}`]),
    ...(keyId === null ? [] : [sql`key_id = ${keyId}`]),
    ...(alias === null ? [] : [sql`alias = ${alias}`]),
  ]
  return sql.join(tests, sql` AND `)
}

function floorOf(ms: number, bucket: SeriesBucket): number {
  return Math.floor(ms / lengthsMs[bucket]) * lengthsMs[bucket]
}
