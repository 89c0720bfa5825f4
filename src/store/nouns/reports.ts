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
import { assumedCosts } from './assumed-costs.ts'
import { applicationDays } from './application-usage.ts'
import { invoicedByDay } from './invoices.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const hoursPerDay = 24

/** People without use that a page of margins passes over, first few and then many. */
const peopleTestedMax: readonly number[] = [200, 2_000]
/** Calls that a report on health reads; more are in a day's sums by the hour. */
const callsReadMax = 20_000

const none: MarginSums = {
  calls: 0,
  costMicros: 0n,
  billedMicros: 0n,
  chargeMicros: 0n,
  overHoldMicros: 0n,
  subscriptionMicros: 0n,
}

/** What calls bring and cost: all but what subscriptions were invoiced. */
type CallMoney = Omit<MarginSums, 'subscriptionMicros'>

/** The columns of `CallMoney`, from rows that have sums already. */
const sums = sql`sum(calls) AS calls, sum(cost_micros) AS cost_micros, sum(billed_micros) AS billed_micros,
  sum(charge_micros) AS charge_micros, sum(over_hold_micros) AS over_hold_micros`

export function reports(query: Query): Reports {
  return {
    async margin(applicationId, mode, by, days, page) {
      const asked = { applicationId, mode, ...days }
      if (by === 'endUser') return marginByEndUser(query, asked, page)
      if (by === 'day') return pageOfGroups(await marginOfDays(query, asked), page)
      // First the parts, then the whole: a call that ends in between is in the whole alone, and so not negative.
      const parts = await (by === 'model' ? marginOfNames(query, asked) : marginOfHours(query, asked, by))
      const known = parts.filter(({ group }) => group !== null)
      // What no group accounts for: calls that are no group's, and subscriptions, which none has of its own.
      const rest = lessParts(await marginTotals(query, asked), known)
      const isWhole = rest.calls === 0 && rest.costMicros === 0n && rest.subscriptionMicros === 0n
      return pageOfGroups(isWhole ? known : [...known, { group: null, ...rest }], page)
    },
    assumedCosts: (applicationId, mode, days) => assumedCosts(query, { applicationId, mode, ...days }),
    marginTotals: (applicationId, mode, days) => marginTotals(query, { applicationId, mode, ...days }),
    health: (applicationId, mode, nowMs, spansMs) => healthOf(query, { applicationId, mode, nowMs }, spansMs),
  }
}

interface MarginAsked extends DayRange {
  readonly applicationId: string
  readonly mode: Mode
}

async function marginTotals(query: Query, asked: MarginAsked): Promise<MarginSums> {
  const of = await applicationDays(query, asked)
  const { rows } = await sql<Columns<CallMoney>>`SELECT ${sums} FROM ${of} HAVING count(*) > 0`.execute(query)
  const invoiced = await invoicedByDay(query, asked)
  const subscriptionMicros = invoiced.values().reduce((sum, amount) => sum + amount, 0n)
  return { ...(rows[0] === undefined ? none : sumsOf(rows[0])), subscriptionMicros }
}

async function marginOfNames(query: Query, asked: MarginAsked): Promise<MarginGroup[]> {
  const of = await applicationDays(query, asked)
  const { rows } = await sql<Columns<CallMoney> & { name: string }>`
    SELECT alias AS name, ${sums} FROM ${of} GROUP BY alias ORDER BY alias`.execute(query)
  return rows.map((row) => ({ group: row.name, ...sumsOf(row) }))
}

/** The newest first. */
async function marginOfDays(query: Query, asked: MarginAsked): Promise<MarginGroup[]> {
  const of = await applicationDays(query, asked)
  const { rows } = await sql<Columns<CallMoney> & { day: number }>`
    SELECT day, ${sums} FROM ${of} GROUP BY day`.execute(query)
  const byDay = new Map<number, MarginSums>(rows.map((row) => [row.day, sumsOf(row)]))
  for (const [day, subscriptionMicros] of await invoicedByDay(query, asked))
    byDay.set(day, { ...(byDay.get(day) ?? none), subscriptionMicros })
  return [...byDay]
    .toSorted(([one], [other]) => other - one)
    .map(([day, money]) => ({ group: String(day), ...money }))
}

/** People in the order of their external ids; sums are read from each person's own rows. */
async function marginByEndUser(
  query: Query,
  { applicationId, fromDay, mode, toDay }: MarginAsked,
  { after, limit }: { readonly limit: number; readonly after: Position | null },
): Promise<{ groups: MarginGroup[]; next: Position | null }> {
  const groups: MarginGroup[] = []
  let from = after?.id ?? ''
  for (const peopleMax of peopleTestedMax) {
    const people = sql`SELECT id, external_id FROM end_users
      WHERE application_id = ${applicationId} AND external_id > ${from} ORDER BY external_id`
    // oxlint-disable-next-line no-await-in-loop -- the first step is nearly always the last
    const { rows } = await sql<Columns<MarginSums> & { external_id: string }>`
      WITH u AS (${people} LIMIT ${peopleMax}), found AS (
        SELECT u.external_id, d.calls, d.cost_micros, d.billed_micros, d.charge_micros, d.over_hold_micros,
            0 AS subscription_micros
          FROM u JOIN usage_days d ON d.end_user_id = u.id
          WHERE d.mode = ${mode} AND d.day >= ${fromDay} AND d.day < ${toDay}
        UNION ALL
        SELECT u.external_id, 0, 0, 0, 0, 0, l.amount_micros
          FROM u JOIN invoices i ON i.end_user_id = u.id
          JOIN invoice_lines l ON l.invoice_id = i.id AND l.kind <> 'on_demand'
          WHERE i.mode = ${mode} AND i.voided_at_ms IS NULL
            AND i.created_at_ms >= ${fromDay * dayMs} AND i.created_at_ms < ${toDay * dayMs})
      SELECT external_id, ${sums}, sum(subscription_micros) AS subscription_micros
        FROM found GROUP BY external_id ORDER BY external_id LIMIT ${limit + 1 - groups.length}`.execute(
      query,
    )
    groups.push(
      ...rows.map((row) => ({
        group: row.external_id,
        ...sumsOf(row),
        subscriptionMicros: row.subscription_micros,
      })),
    )
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
  { applicationId, fromDay, mode, toDay }: MarginAsked,
  by: 'bundle' | 'provider',
): Promise<MarginGroup[]> {
  const column = by === 'bundle' ? sql`bundle` : sql`account_id`
  const open = await openHour(query)
  const { rows } = await sql<Columns<CallMoney> & { name: string }>`
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
        byName.set(name, plus(byName.get(name) ?? none, { ...money, calls: 1, subscriptionMicros: 0n }))
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
    subscriptionMicros: one.subscriptionMicros + other.subscriptionMicros,
  }
}

function lessParts(whole: MarginSums, parts: readonly MarginSums[]): MarginSums {
  let rest = whole
  for (const part of parts)
    rest = plus(rest, {
      calls: -part.calls,
      costMicros: -part.costMicros,
      billedMicros: -part.billedMicros,
      chargeMicros: -part.chargeMicros,
      overHoldMicros: -part.overHoldMicros,
      subscriptionMicros: -part.subscriptionMicros,
    })
  return rest
}

function sumsOf(row: Columns<CallMoney>): MarginSums {
  const { billed_micros, calls, charge_micros, cost_micros, over_hold_micros } = row
  const money = fieldsOf({ calls, cost_micros, billed_micros, charge_micros, over_hold_micros })
  return { ...money, subscriptionMicros: 0n }
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
