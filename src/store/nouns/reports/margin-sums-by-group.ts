/**
 * Revenue and cost, by group. The groups of each grouping except tags add up exactly to `marginTotals`. The last group
 * has the name null, and contains calls of no other group. The groupings read these stored sums:
 *
 * - Days and model names: `application_days`, and the rows of end users for days without a sum.
 * - End users and keys: `usage_days`, one page at a time.
 * - Bundles, accounts, runs, tags and teams: stored sums of hours, and the sums of later hours
 *   (hours-without-stored-sums.ts).
 *
 * All groupings include corrections, each on the day it was made (charges-and-corrections-by-day.ts).
 */
import { type RawBuilder, sql } from 'kysely'
import { moneyNames, zeroOf } from '#domain/sums-of-request-figures.ts'
import { sumsOf } from '#domain/add-records-by-field.ts'
import type { Mode } from '#domain/application-config.ts'
import type { Position } from '#domain/list-page.ts'
import type { DayRange, MarginBy, MarginGroup, MarginSums } from '#domain/reports/reports-interface.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { anyOf, isOfKind, kindOf, type LabelKind, nameOf, withAny } from '#store/rows/labels-of-calls.ts'
import { RunSums } from '#store/rows/sums-of-outcome-runs.ts'
import { tagsFromText } from '#store/rows/tags-columns.ts'
import {
  correctedColumns,
  type MoneyColumns,
  moneyColumns,
  moneyIn,
  summed,
  listed,
} from '#store/sql/sql-of-figure-columns.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { HourRows } from '#store/sql/hour-sums-interface.ts'
import { applicationDays } from './usage-and-costs-of-application.ts'
import { correctionRows } from './charges-and-corrections-by-day.ts'
import { usageDaysCondition } from './sql-condition-for-usage-days.ts'
import { type Memory, type UnstoredHours, unstoredHours } from './hours-without-stored-sums.ts'
import { invoicedByDay } from '#store/nouns/billing/invoices.ts'
import {
  earnedByBundle,
  earnedByDay,
  earnedByEndUser,
  earnedInAll,
  earnsIn,
} from '#store/nouns/billing/subscription-revenue.ts'

const hoursPerDay = 24

/** Maximum number of end users or keys without usage that one page of margins skips, for each step. */
const testedMax: readonly number[] = [200, 2_000]

export interface MarginAsked extends DayRange {
  readonly applicationId: string
  readonly mode: Mode
}

interface PageAsked {
  readonly limit: number
  readonly after: Position | null
}

interface GroupPage {
  readonly groups: readonly MarginGroup[]
  readonly next: Position | null
}

export async function margin(
  query: Query,
  memory: Memory,
  asked: MarginAsked,
  by: MarginBy,
  page: PageAsked,
): Promise<GroupPage> {
  if (by === 'endUser') return marginOfEndUsers(query, asked, page)
  if (by === 'key') return marginOfKeys(query, asked, page)
  if (by === 'day') return pageOfGroups(await marginOfDays(query, asked), page)
  if (by === 'tag' || by === 'team') return pageOfGroups(await marginOfLabels(query, memory, asked, by), page)
  // Read the groups before the total, so that a call that ends between the reads is only in the total.
  const parts = await partsBy(query, memory, asked, by)
  const known = parts.filter(({ group }) => group !== null)
  // Every call has a model name, so the group null contains only subscriptions and invoices.
  const rest =
    by === 'model'
      ? await earnedBesidesCalls(query, asked)
      : known.reduce<MarginSums>((left, part) => plus(left, part, -1), await marginTotals(query, asked))
  return pageOfGroups(marginSums.isZero(rest) ? known : [...known, { group: null, ...rest }], page)
}

export async function marginTotals(query: Query, asked: MarginAsked): Promise<MarginSums> {
  const of = await applicationDays(query, asked)
  const { rows } = await sql<SumRow>`SELECT ${sums} FROM ${of} HAVING count(*) > 0`.execute(query)
  const others = await earnedBesidesCalls(query, asked)
  return rows[0] === undefined ? others : plus(others, rowSums(rows[0]))
}

async function earnedBesidesCalls(query: Query, asked: MarginAsked): Promise<MarginSums> {
  const invoiced = await invoicedByDay(query, asked)
  return {
    ...marginSums.zero(),
    subscriptionMicros: await earnedInAll(query, asked),
    invoicedMicros: invoiced.values().reduce((sum, amount) => sum + amount, 0n),
  }
}

type SumRow = MoneyColumns & { calls: number }

const sums = sql.raw(summed(['calls', ...moneyColumns]))

function partsBy(
  query: Query,
  memory: Memory,
  asked: MarginAsked,
  by: 'model' | 'bundle' | 'provider' | 'run',
) {
  if (by === 'model') return marginOfNames(query, asked)
  return by === 'run' ? marginOfRuns(query, memory, asked) : marginOfHours(query, memory, asked, by)
}

async function marginOfNames(query: Query, asked: MarginAsked): Promise<MarginGroup[]> {
  const of = await applicationDays(query, asked)
  const { rows } = await sql<SumRow & { name: string }>`
    SELECT alias AS name, ${sums} FROM ${of} GROUP BY alias ORDER BY alias`.execute(query)
  return rows.map((row) => ({ group: row.name, ...rowSums(row) }))
}

async function marginOfDays(query: Query, asked: MarginAsked): Promise<MarginGroup[]> {
  const of = await applicationDays(query, asked)
  const { rows } = await sql<SumRow & { day: number }>`
    SELECT day, ${sums} FROM ${of} GROUP BY day`.execute(query)
  const byDay = new Map<number, MarginSums>(rows.map((row) => [row.day, rowSums(row)]))
  for (const [day, subscriptionMicros] of await earnedByDay(query, asked))
    byDay.set(day, { ...(byDay.get(day) ?? marginSums.zero()), subscriptionMicros })
  for (const [day, invoicedMicros] of await invoicedByDay(query, asked))
    byDay.set(day, { ...(byDay.get(day) ?? marginSums.zero()), invoicedMicros })
  return [...byDay]
    .toSorted(([one], [other]) => other - one)
    .map(([day, money]) => ({ group: String(day), ...money }))
}

/** In the order of external IDs. */
async function marginOfEndUsers(query: Query, asked: MarginAsked, page: PageAsked): Promise<GroupPage> {
  const { applicationId, fromDay, mode, toDay } = asked
  const issued = sql`i.created_at_ms >= ${fromDay * dayMs} AND i.created_at_ms < ${toDay * dayMs}`
  const none = sql.raw(['calls', ...moneyColumns].map(() => '0').join(', '))
  const { groups, next } = await pageOfSums(query, page, {
    from: (after) => sql`SELECT id, external_id AS name FROM end_users
      WHERE application_id = ${applicationId} AND external_id > ${after} ORDER BY external_id`,
    found: sql`SELECT u.id, u.name, ${sums}, 0 AS invoiced_micros
        FROM u JOIN usage_days d ON d.end_user_id = u.id
        WHERE ${usageDaysCondition(query, asked)} AND d.end_user_id IN (SELECT id FROM u)
        GROUP BY u.id, u.name, d.end_user_id
      UNION ALL
      SELECT u.id, u.name, ${sql.raw(listed(['calls', ...moneyColumns], 'd'))}, 0
        FROM u JOIN (${correctionRows} WHERE ${inDays(asked)}) AS d ON d.end_user_id = u.id
      UNION ALL
      SELECT u.id, u.name, ${none}, CASE WHEN ${issued} THEN i.amount_micros ELSE 0 END
        FROM u JOIN invoices i ON i.end_user_id = u.id
        WHERE i.mode = ${mode} AND i.voided_at_ms IS NULL AND ((${issued}) OR ${earnsIn(asked)})`,
  })
  const ids = groups.map(({ id }) => id)
  const earned = await earnedByEndUser(query, asked, ids)
  return {
    groups: groups.map(({ id, ...of }) => ({ ...of, subscriptionMicros: earned.get(id) ?? 0n })),
    next,
  }
}

/** In the order of IDs. The last page also contains subscriptions, which belong to no key. */
async function marginOfKeys(query: Query, asked: MarginAsked, page: PageAsked): Promise<GroupPage> {
  const { applicationId } = asked
  if (page.after?.at === lastPage) return { groups: await besidesKeys(query, asked), next: null }
  const { groups, next } = await pageOfSums(query, page, {
    from: (after) => sql`SELECT id, id AS name, end_user_id FROM keys
      WHERE application_id = ${applicationId} AND id > ${after} ORDER BY id`,
    found: sql`SELECT u.id, u.name, ${sums}, 0 AS invoiced_micros
        FROM u JOIN usage_days d ON d.end_user_id = u.end_user_id AND d.key_id = u.id
        WHERE ${usageDaysCondition(query, asked)} AND d.end_user_id IN (SELECT end_user_id FROM u)
        GROUP BY u.id, u.name, d.end_user_id
      UNION ALL
      SELECT u.id, u.name, ${sql.raw(listed(['calls', ...moneyColumns], 'd'))}, 0
        FROM u JOIN (${correctionRows} WHERE ${inDays(asked)}) AS d ON d.key_id = u.id`,
  })
  const known = groups.map(({ id: _id, ...of }) => of)
  if (next !== null) return { groups: known, next }
  const rest = await besidesKeys(query, asked)
  if (known.length + rest.length <= page.limit) return { groups: [...known, ...rest], next: null }
  return { groups: known, next: { at: lastPage, id: '' } }
}

/** Marks the cursor of the last page, which contains only the group null. */
const lastPage = 1

async function besidesKeys(query: Query, asked: MarginAsked): Promise<MarginGroup[]> {
  const rest = await earnedBesidesCalls(query, asked)
  return marginSums.isZero(rest) ? [] : [{ group: null, ...rest }]
}

type IdGroup = MarginGroup & { readonly id: string }

/** First reads few groups that may have sums, and more only if the page is not full. */
async function pageOfSums(
  query: Query,
  { after, limit }: PageAsked,
  {
    found,
    from,
  }: {
    readonly from: (after: string) => RawBuilder<unknown>
    /**
     * SQL for the sums of the groups in `u`, with the columns of `SumRow` and `invoiced_micros`. `UNION ALL` combines
     * sums of `usage_days` with other rows. Sums of `usage_days` are grouped by `u` and the distribution column. Each
     * node of a distributed database then adds up its own rows.
     */
    readonly found: RawBuilder<unknown>
  },
): Promise<{ readonly groups: readonly IdGroup[]; readonly next: Position | null }> {
  const groups: IdGroup[] = []
  let start = after?.id ?? ''
  for (const max of testedMax) {
    // oxlint-disable-next-line no-await-in-loop -- the first step is nearly always the last
    const { rows } = await sql<SumRow & { id: string; name: string; invoiced_micros: bigint }>`
      WITH u AS (${from(start)} LIMIT ${max}), found AS (${found})
      SELECT id, name, ${sums}, sum(invoiced_micros) AS invoiced_micros
        FROM found GROUP BY id, name ORDER BY name LIMIT ${limit + 1 - groups.length}`.execute(query)
    for (const row of rows)
      groups.push({ id: row.id, group: row.name, ...rowSums(row), invoicedMicros: row.invoiced_micros })
    const last = groups[limit - 1]
    if (groups.length > limit && last !== undefined)
      return { groups: groups.slice(0, limit), next: { at: 0, id: last.group ?? '' } }
    // oxlint-disable-next-line no-await-in-loop -- see above
    const end = await sql<{ name: string }>`${from(start)} LIMIT 1 OFFSET ${max - 1}`.execute(query)
    const tested = end.rows[0]?.name
    if (tested === undefined) return { groups, next: null }
    start = tested
  }
  return { groups, next: { at: 0, id: start } }
}

/** The group null contains calls without a bundle or an account. */
async function marginOfHours(
  query: Query,
  memory: Memory,
  asked: MarginAsked,
  by: 'bundle' | 'provider',
): Promise<MarginGroup[]> {
  const column = by === 'bundle' ? sql`bundle` : sql`account_id`
  const { openHour, sums: openSums } = await hoursSince(query, memory, asked, 'calls')
  const { rows } = await sql<SumRow & { name: string }>`
    SELECT ${column} AS name, sum(charged) AS calls, ${sql.raw(summed(moneyColumns))}
    FROM call_hours WHERE ${inHours(asked, openHour)} GROUP BY ${column}`.execute(query)
  const byName = new Map<string, MarginSums>(rows.map((row) => [row.name, rowSums(row)]))
  for (const row of openSums.flatMap(({ calls }) => calls)) {
    const name = by === 'bundle' ? row.bundle : row.account_id
    byName.set(name, plus(byName.get(name) ?? marginSums.zero(), { ...moneyIn(row), calls: row.charged }))
  }
  for (const row of await correctedBy(query, asked, column))
    byName.set(row.name ?? '', plus(byName.get(row.name ?? '') ?? marginSums.zero(), rowSums(row)))
  if (by === 'bundle')
    for (const [slug, subscriptionMicros] of await earnedByBundle(query, asked))
      byName.set(slug, plus(byName.get(slug) ?? marginSums.zero(), { subscriptionMicros }))
  return [...byName]
    .filter(([, of]) => !marginSums.isZero(of))
    .map(([name, of]) => ({ group: name === '' ? null : name, ...of }))
    .toSorted((one, other) => compare(one.group ?? '', other.group ?? ''))
}

async function correctedBy(
  query: Query,
  asked: MarginAsked,
  column: RawBuilder<unknown>,
): Promise<readonly (SumRow & { name: string | null })[]> {
  const { rows } = await sql<SumRow & { name: string | null }>`
    SELECT ${column} AS name, 0 AS calls, ${sql.raw(summed(correctedColumns))}
    FROM call_corrections WHERE ${inDays(asked)} GROUP BY 1`.execute(query)
  return rows
}

function inDays({ applicationId, fromDay, mode, toDay }: MarginAsked): RawBuilder<unknown> {
  return sql`application_id = ${applicationId} AND mode = ${mode} AND day >= ${fromDay} AND day < ${toDay}`
}

/** Includes all end users. The group null contains calls without a run. */
async function marginOfRuns(query: Query, memory: Memory, asked: MarginAsked): Promise<MarginGroup[]> {
  const { openHour, sums: openSums } = await hoursSince(query, memory, asked, 'runs')
  const { rows } = await sql<SumRow & { outcome_slug: string; run_id: string; end_user_id: string }>`
    SELECT outcome_slug, run_id, end_user_id, ${sums}
    FROM run_hours WHERE ${inHours(asked, openHour)} GROUP BY 1, 2, 3`.execute(query)
  const runs = new RunSums()
  for (const row of [...rows, ...openSums.flatMap((hour) => hour.runs)]) {
    const run = { outcomeSlug: row.outcome_slug, runId: row.run_id, endUserId: row.end_user_id }
    runs.merge({ run, calls: row.calls, ...moneyIn(row) })
  }
  const corrected = await sql<SumRow & { outcome_slug: string; run_id: string; end_user_id: string }>`
    SELECT outcome_slug, run_id, end_user_id, 0 AS calls, ${sql.raw(summed(correctedColumns))}
    FROM call_corrections WHERE ${inDays(asked)} AND run_id IS NOT NULL GROUP BY 1, 2, 3`.execute(query)
  for (const row of corrected.rows) {
    const run = { outcomeSlug: row.outcome_slug, runId: row.run_id, endUserId: row.end_user_id }
    runs.merge({ run, calls: 0, ...moneyIn(row) })
  }
  const names = await externalIdsOf(query, [...new Set(runs.all().map(({ run }) => run.endUserId))])
  return runs
    .all()
    .map(({ run: { endUserId, ...run }, ...of }) => ({
      ...marginSums.zero(),
      ...of,
      group: `${run.outcomeSlug}/${run.runId}/${endUserId}`,
      run: { ...run, externalId: names.get(endUserId) ?? endUserId },
    }))
    .toSorted((one, other) => compare(one.group, other.group))
}

/** A call counts in each of its tags. The group null contains subscriptions, and the calls without a tag or a team. */
async function marginOfLabels(
  query: Query,
  memory: Memory,
  asked: MarginAsked,
  kind: LabelKind,
): Promise<MarginGroup[]> {
  const { openHour, sums: openSums } = await hoursSince(query, memory, asked, 'tags')
  const { rows } = await sql<SumRow & { tag: string }>`
    SELECT tag, sum(charged) AS calls, ${sql.raw(summed(moneyColumns))}
    FROM tag_hours WHERE ${inHours(asked, openHour)} AND ${isOfKind(kind)} GROUP BY tag`.execute(query)
  const byLabel = new Map<string, MarginSums>(rows.map((row) => [row.tag, rowSums(row)]))
  const add = (label: string, of: Partial<MarginSums>): void => {
    if (kindOf(label) === kind) byLabel.set(label, plus(byLabel.get(label) ?? marginSums.zero(), of))
  }
  for (const row of openSums.flatMap(({ tags }) => tags))
    add(row.tag, { ...moneyIn(row), calls: row.charged })
  for (const row of await correctedBy(query, asked, sql`tags`)) {
    for (const label of withAny(tagsFromText(row.name))) add(label, rowSums(row))
  }
  const rest = plus(await marginTotals(query, asked), byLabel.get(anyOf(kind)) ?? marginSums.zero(), -1)
  byLabel.delete(anyOf(kind))
  const known = [...byLabel]
    .map(([label, of]) => ({ group: nameOf(label), ...of }))
    .filter((of) => !marginSums.isZero(of))
    .toSorted((one, other) => compare(one.group, other.group))
  return marginSums.isZero(rest) ? known : [...known, { group: null, ...rest }]
}

/** SQLite allows 32,766 parameters. */
const idsAtOnce = 5_000

async function externalIdsOf(query: Query, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for (let from = 0; from < ids.length; from += idsAtOnce) {
    // oxlint-disable-next-line no-await-in-loop -- nearly always one iteration
    const rows = await query
      .selectFrom('end_users')
      .select(['id', 'external_id'])
      .where('id', 'in', ids.slice(from, from + idsAtOnce))
      .execute()
    for (const { external_id, id } of rows) names.set(id, external_id)
  }
  return names
}

function inHours(
  { applicationId, fromDay, mode, toDay }: MarginAsked,
  openHour: number,
): RawBuilder<unknown> {
  return sql`application_id = ${applicationId} AND mode = ${mode}
    AND hour >= ${fromDay * hoursPerDay} AND hour < ${Math.min(openHour, toDay * hoursPerDay)}`
}

function hoursSince(
  query: Query,
  memory: Memory,
  { applicationId, fromDay, mode, toDay }: MarginAsked,
  kind: keyof HourRows,
): Promise<UnstoredHours> {
  const span = { applicationId, mode, fromMs: fromDay * dayMs, toMs: toDay * dayMs }
  return unstoredHours(query, memory, { ...span, kind, callsMax: null })
}

/** The group null comes last. */
function pageOfGroups(groups: readonly MarginGroup[], { after, limit }: PageAsked): GroupPage {
  const start = after === null ? 0 : groups.findIndex(({ group }) => group === after.id) + 1
  const shown = groups.slice(start, start + limit)
  const last = shown.at(-1)
  const hasMore = start + limit < groups.length && last !== undefined
  return { groups: shown, next: hasMore ? { at: 0, id: last.group ?? '' } : null }
}

const marginSums = sumsOf<Changed>({
  ...zeroOf(['calls', ...moneyNames]),
  subscriptionMicros: 0n,
  invoicedMicros: 0n,
})
type Changed = { -readonly [name in keyof MarginSums]: MarginSums[name] }

function plus(one: MarginSums, other: Partial<MarginSums>, sign: 1 | -1 = 1): MarginSums {
  const sum: Changed = { ...one }
  marginSums.add(sum, { ...marginSums.zero(), ...other }, sign)
  return sum
}

function rowSums(row: SumRow): MarginSums {
  return { ...marginSums.zero(), ...moneyIn(row), calls: row.calls }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
