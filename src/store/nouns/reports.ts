import { sql } from 'kysely'
import { type FailureClass, failureClasses } from '#domain/failure-class.ts'
import { Histogram } from '#domain/histogram.ts'
import type { Mode } from '#domain/application-config.ts'
import type { Position } from '#domain/records.ts'
import type {
  CallFigures,
  DayRange,
  HealthRow,
  HealthSpan,
  MarginGroup,
  MarginSums,
  Reports,
} from '#domain/reports.ts'
import { CallSums } from '#store/rows/call-sums.ts'
import { TargetSums } from '#store/rows/target-sums.ts'
import type { FigureColumns } from '#store/sql/schema.ts'
import { eachEndedCall, startOfNewest } from '#store/rows/ended-calls.ts'
import { type Columns, fieldsOf } from '#store/sql/columns.ts'
import type { Query } from '#store/sql/database.ts'
import { applicationDays } from './application-usage.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const hoursPerDay = 24

/** People without use that a page of margins passes over, first few and then many. */
const peopleTestedMax: readonly number[] = [200, 2_000]
/** Calls that a report on health reads; more are in a day's sums by the hour. */
const callsReadMax = 20_000

const none: MarginSums = { calls: 0, costMicros: 0n, billedMicros: 0n, chargeMicros: 0n, overHoldMicros: 0n }

/** The columns of `MarginSums`, from rows that have sums already. */
const sums = sql`sum(calls) AS calls, sum(cost_micros) AS cost_micros, sum(billed_micros) AS billed_micros,
  sum(charge_micros) AS charge_micros, sum(over_hold_micros) AS over_hold_micros`

export function reports(query: Query): Reports {
  const totals = (applicationId: string, mode: Mode, days: DayRange): Promise<MarginSums> =>
    marginTotals(query, applicationId, mode, days)
  return {
    async margin(applicationId, mode, by, days, page) {
      if (by === 'endUser') return marginByEndUser(query, applicationId, mode, days, page)
      if (by === 'bundle' || by === 'provider') {
        // First the parts, then the whole: a call that ends in between is in the whole alone, and so not negative.
        const parts = await marginOfHours(query, applicationId, mode, by, days)
        const known = parts.filter(({ group }) => group !== null)
        const rest = lessParts(await totals(applicationId, mode, days), known)
        // Calls that nobody answered may have cost something, and are no group's.
        const isWhole = rest.calls === 0 && rest.costMicros === 0n
        return pageOfGroups(isWhole ? known : [...known, { group: null, ...rest }], page)
      }
      return pageOfGroups(await marginOfDays(query, applicationId, mode, by, days), page)
    },
    marginTotals: totals,
    health: (applicationId, mode, nowMs, spansMs) => healthOf(query, { applicationId, mode, nowMs }, spansMs),
  }
}

async function marginTotals(
  query: Query,
  applicationId: string,
  mode: Mode,
  days: DayRange,
): Promise<MarginSums> {
  const of = await applicationDays(query, { applicationId, mode, ...days })
  const { rows } = await sql<Columns<MarginSums>>`SELECT ${sums} FROM ${of} HAVING count(*) > 0`.execute(
    query,
  )
  return rows[0] === undefined ? none : sumsOf(rows[0])
}

/** By name, or by day with the newest first. */
async function marginOfDays(
  query: Query,
  applicationId: string,
  mode: Mode,
  by: 'model' | 'day',
  days: DayRange,
): Promise<MarginGroup[]> {
  const of = await applicationDays(query, { applicationId, mode, ...days })
  const column = by === 'day' ? sql`day` : sql`alias`
  const order = by === 'day' ? sql`day DESC` : sql`alias`
  const { rows } = await sql<Columns<MarginSums> & { name: string | number }>`
    SELECT ${column} AS name, ${sums} FROM ${of} GROUP BY ${column} ORDER BY ${order}`.execute(query)
  return rows.map((row) => ({ group: String(row.name), ...sumsOf(row) }))
}

/** People in the order of their external ids; sums are read from each person's own rows. */
async function marginByEndUser(
  query: Query,
  applicationId: string,
  mode: Mode,
  { fromDay, toDay }: DayRange,
  { after, limit }: { readonly limit: number; readonly after: Position | null },
): Promise<{ groups: MarginGroup[]; next: Position | null }> {
  const groups: MarginGroup[] = []
  let from = after?.id ?? ''
  for (const peopleMax of peopleTestedMax) {
    const people = sql`SELECT id, external_id FROM end_users
      WHERE application_id = ${applicationId} AND external_id > ${from} ORDER BY external_id`
    // oxlint-disable-next-line no-await-in-loop -- the first step is nearly always the last
    const { rows } = await sql<Columns<MarginSums> & { external_id: string }>`
      SELECT u.external_id, ${sums} FROM (${people} LIMIT ${peopleMax}) AS u
      JOIN usage_days d ON d.end_user_id = u.id AND d.mode = ${mode} AND d.day >= ${fromDay} AND d.day < ${toDay}
      GROUP BY u.external_id ORDER BY u.external_id LIMIT ${limit + 1 - groups.length}`.execute(query)
    groups.push(...rows.map((row) => ({ group: row.external_id, ...sumsOf(row) })))
    const last = groups[limit - 1]
    if (groups.length > limit && last !== undefined)
      return { groups: groups.slice(0, limit), next: { at: 0, id: last.group ?? '' } }
    // oxlint-disable-next-line no-await-in-loop -- as above
    const end = await sql<{ external_id: string }>`${people} LIMIT 1 OFFSET ${peopleMax - 1}`.execute(query)
    const tested = end.rows[0]?.external_id
    if (tested === undefined) return { groups, next: null }
    from = tested
  }
  return { groups, next: { at: 0, id: from } }
}

/** From the sums of hours that are over and the calls since; null: what has no bundle or account. */
async function marginOfHours(
  query: Query,
  applicationId: string,
  mode: Mode,
  by: 'bundle' | 'provider',
  { fromDay, toDay }: DayRange,
): Promise<MarginGroup[]> {
  const column = by === 'bundle' ? sql`bundle` : sql`account_id`
  const open = await openHour(query)
  const { rows } = await sql<Columns<MarginSums> & { name: string }>`
    SELECT ${column} AS name, sum(charged) AS calls, sum(cost_micros) AS cost_micros,
      sum(billed_micros) AS billed_micros, sum(charge_micros) AS charge_micros,
      sum(over_hold_micros) AS over_hold_micros
    FROM call_hours
    WHERE application_id = ${applicationId} AND mode = ${mode} AND charged > 0
      AND hour >= ${fromDay * hoursPerDay} AND hour < ${Math.min(open, toDay * hoursPerDay)}
    GROUP BY ${column}`.execute(query)
  const byName = new Map<string, MarginSums>(rows.map((row) => [row.name, sumsOf(row)]))
  const fromMs = Math.max(open * hourMs, fromDay * dayMs)
  const toMs = toDay * dayMs
  if (fromMs < toMs)
    await eachEndedCall(
      query,
      { applicationId, mode, fromMs, toMs },
      ({ accountId, money }) => {
        if (money === null) return
        const name = (by === 'bundle' ? money.bundle : accountId) ?? ''
        byName.set(name, plus(byName.get(name) ?? none, { ...money, calls: 1 }))
      },
      { hasMoney: true },
    )
  return [...byName]
    .map(([name, of]) => ({ group: name === '' ? null : name, ...of }))
    .toSorted((one, other) => ((one.group ?? '') < (other.group ?? '') ? -1 : 1))
}

/** The first hour that is not summed up. */
export async function openHour(query: Query): Promise<number> {
  const fold = await query.selectFrom('call_fold').select('through_hour').executeTakeFirstOrThrow()
  return fold.through_hour + 1
}

/** The page of groups that are all known; an unknown one is last. */
function pageOfGroups(
  groups: readonly MarginGroup[],
  { after, limit }: { readonly limit: number; readonly after: Position | null },
): { groups: readonly MarginGroup[]; next: Position | null } {
  const start = after === null ? 0 : groups.findIndex(({ group }) => group === after.id) + 1
  const shown = groups.slice(start, start + limit)
  const last = shown.at(-1)
  const hasMore = start + limit < groups.length && last !== undefined
  return { groups: shown, next: hasMore ? { at: 0, id: last.group ?? '' } : null }
}

function plus(one: MarginSums, other: MarginSums): MarginSums {
  return {
    calls: one.calls + other.calls,
    costMicros: one.costMicros + other.costMicros,
    billedMicros: one.billedMicros + other.billedMicros,
    chargeMicros: one.chargeMicros + other.chargeMicros,
    overHoldMicros: one.overHoldMicros + other.overHoldMicros,
  }
}

function lessParts(whole: MarginSums, parts: readonly MarginSums[]): MarginSums {
  let rest = whole
  for (const { billedMicros, calls, chargeMicros, costMicros, overHoldMicros } of parts)
    rest = plus(rest, {
      calls: -calls,
      costMicros: -costMicros,
      billedMicros: -billedMicros,
      chargeMicros: -chargeMicros,
      overHoldMicros: -overHoldMicros,
    })
  return rest
}

function sumsOf(row: Columns<MarginSums>): MarginSums {
  const { billed_micros, calls, charge_micros, cost_micros, over_hold_micros } = row
  return fieldsOf({ calls, cost_micros, billed_micros, charge_micros, over_hold_micros })
}

/**
 * A day is the sums of its hours and the calls since the last of them: it begins with an hour. What is shorter is
 * read from its calls. They are read once for all spans.
 */
async function healthOf(
  query: Query,
  { applicationId, mode, nowMs }: { applicationId: string; mode: Mode; nowMs: number },
  spansMs: readonly number[],
): Promise<HealthSpan[]> {
  const open = await openHour(query)
  const spans = spansMs.map((spanMs) => {
    const fromMs = nowMs - spanMs
    if (spanMs <= hourMs)
      return {
        fromMs,
        readFromMs: fromMs,
        firstHour: null,
        recent: new CallSums(),
        targets: new TargetSums(),
      }
    const firstHour = Math.floor(fromMs / hourMs)
    const readFromMs = Math.max(open, firstHour) * hourMs
    return {
      fromMs: firstHour * hourMs,
      readFromMs,
      firstHour,
      recent: new CallSums(),
      targets: new TargetSums(),
    }
  })
  const asked = Math.min(...spans.map(({ readFromMs }) => readFromMs))
  // The end of a call is by the clock of the process that served it, which may be ahead.
  const span = { applicationId, mode, fromMs: asked, toMs: nowMs + hourMs }
  const fromMs = await startOfNewest(query, span, callsReadMax)
  const statuses = spans.map(() => ({ failures: 0, refusals: 0 }))
  await eachEndedCall(
    query,
    { ...span, fromMs },
    (call) => {
      for (const [i, { readFromMs, recent, targets }] of spans.entries()) {
        if (call.endedAtMs < readFromMs) continue
        recent.add(call)
        targets.add(call)
        const status = statuses[i]
        if (status && call.httpStatus >= 500) status.failures += 1
        else if (status && call.httpStatus >= 400) status.refusals += 1
      }
    },
    { hasMoney: false },
  )
  return Promise.all(
    spans.map(async ({ firstHour, fromMs: spanFromMs, readFromMs, recent, targets }, i) => {
      const groups = new HealthGroups()
      for (const sum of recent.all()) groups.add(sum)
      if (firstHour !== null)
        await addHours(query, { groups, targets }, { applicationId, mode, firstHour, open })
      const isWhole = fromMs <= readFromMs
      return {
        fromMs: isWhole || firstHour !== null ? spanFromMs : fromMs,
        isWhole,
        rows: groups.all(),
        targets: targets.all(),
        failures: statuses[i]?.failures ?? 0,
        refusals: statuses[i]?.refusals ?? 0,
      }
    }),
  )
}

async function addHours(
  query: Query,
  { groups, targets }: { readonly groups: HealthGroups; readonly targets: TargetSums },
  of: { applicationId: string; mode: Mode; firstHour: number; open: number },
): Promise<void> {
  const rows = await query
    .selectFrom('call_hours')
    .selectAll()
    .where('application_id', '=', of.applicationId)
    .where('mode', '=', of.mode)
    .where('hour', '>=', of.firstHour)
    .where('hour', '<', of.open)
    .execute()
  for (const row of rows)
    groups.add({
      accountId: row.account_id === '' ? null : row.account_id,
      alias: row.alias === '' ? null : row.alias,
      ...figuresOf(row),
    })
  const hours = await query
    .selectFrom('target_hours')
    .selectAll()
    .where('application_id', '=', of.applicationId)
    .where('mode', '=', of.mode)
    .where('hour', '>=', of.firstHour)
    .where('hour', '<', of.open)
    .execute()
  for (const row of hours) targets.merge({ accountId: row.account_id, model: row.model, ...figuresOf(row) })
}

function figuresOf(row: FigureColumns): CallFigures {
  return {
    calls: row.calls,
    failed: {
      client: row.failed_client,
      limit: row.failed_limit,
      provider: row.failed_provider,
      ours: row.failed_ours,
    },
    latencyMs: Histogram.fromText(row.latency),
    firstByteMs: Histogram.fromText(row.first_byte),
  }
}

/** Figures by account and name. */
class HealthGroups {
  readonly #rows = new Map<string, HealthRow & { calls: number; failed: Record<FailureClass, number> }>()

  all(): readonly HealthRow[] {
    return [...this.#rows.values()]
  }

  add({ accountId, alias, calls, failed, firstByteMs, latencyMs }: HealthRow): void {
    const key = `${accountId}\n${alias}`
    let row = this.#rows.get(key)
    if (row === undefined) {
      const histograms = { latencyMs: new Histogram(), firstByteMs: new Histogram() }
      row = {
        accountId,
        alias,
        calls: 0,
        failed: { client: 0, limit: 0, provider: 0, ours: 0 },
        ...histograms,
      }
      this.#rows.set(key, row)
    }
    row.calls += calls
    for (const name of failureClasses) row.failed[name] += failed[name]
    row.latencyMs.merge(latencyMs)
    row.firstByteMs.merge(firstByteMs)
  }
}
