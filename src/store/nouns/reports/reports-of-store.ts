import { sql } from 'kysely'
import { addCalls, type CallStatistics, noCalls } from '#domain/calls/call-statistics.ts'
import { Histogram } from '#domain/reports/duration-histogram.ts'
import type { Mode } from '#domain/application-config.ts'
import type { CallFigures, HealthRow, HealthSpan, Reports } from '#domain/reports/reports-interface.ts'
import { failureClassOf, noFailures } from '#domain/health/class-of-failure.ts'
import { hourMs } from '#money/periods-and-windows.ts'
import { TargetSums } from '#store/rows/sums-of-targets.ts'
import { failedIn } from '#store/sql/sql-of-figure-columns.ts'
import type { FigureColumns } from '#store/sql/schema.ts'
import { eachEndedGroup, type EndedGroup } from '#store/rows/group-ended-calls.ts'
import { startOfNewest } from '#store/rows/read-ended-calls-by-time.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { assumedCosts } from './assumed-costs.ts'
import { margin, marginTotals } from './margin-sums-by-group.ts'
import { firstUnstoredHour, type Memory } from './hours-without-stored-sums.ts'

/** A health report of more calls uses the stored sums of hours. */
const callsReadMax = 20_000

export function reports(query: Query, memory: Memory): Reports {
  return {
    margin: (applicationId, mode, by, days, page) =>
      margin(query, memory, { applicationId, mode, ...days }, by, page),
    assumedCosts: (applicationId, mode, days) => assumedCosts(query, { applicationId, mode, ...days }),
    marginTotals: (applicationId, mode, days) => marginTotals(query, { applicationId, mode, ...days }),
    health: (applicationId, mode, nowMs, spansMs) => healthOf(query, { applicationId, mode, nowMs }, spansMs),
  }
}

/**
 * A range of more than an hour, such as the last day, begins at a full hour. Its figures are the stored sums of its
 * hours, plus the calls since the last stored hour. Shorter ranges are computed from their calls, which are read once
 * for all of them.
 */
async function healthOf(
  query: Query,
  { applicationId, mode, nowMs }: { applicationId: string; mode: Mode; nowMs: number },
  spansMs: readonly number[],
): Promise<HealthSpan[]> {
  const open = await firstUnstoredHour(query)
  const spans = spansMs.map((spanMs) => {
    const fromMs = nowMs - spanMs
    if (spanMs <= hourMs)
      return {
        fromMs,
        readFromMs: fromMs,
        firstHour: null,
        groups: new HealthGroups(),
        targets: new TargetSums(),
      }
    const firstHour = Math.floor(fromMs / hourMs)
    const readFromMs = Math.max(open, firstHour) * hourMs
    return {
      fromMs: firstHour * hourMs,
      readFromMs,
      firstHour,
      groups: new HealthGroups(),
      targets: new TargetSums(),
    }
  })
  const asked = Math.min(...spans.map(({ readFromMs }) => readFromMs))
  // Read an hour beyond the present, because the clock of the process that served a call may be ahead.
  const span = { applicationId, mode, fromMs: asked, toMs: nowMs + hourMs }
  const fromMs = await startOfNewest(query, span, callsReadMax)
  const statuses = spans.map(() => ({ failures: 0, refusals: 0 }))
  // A call is in all ranges that begin before its end. Calls between two starts are in the same ranges.
  const startsMs = [...new Set(spans.map(({ readFromMs }) => readFromMs))]
    .filter((startMs) => startMs > fromMs)
    .toSorted((one, other) => other - one)
  await eachEndedGroup(
    query,
    { ...span, fromMs },
    (group) => {
      const figures = figuresOfGroup(group)
      for (const [i, { groups, readFromMs, targets }] of spans.entries()) {
        if (group.endedAtMs < readFromMs) continue
        groups.add(figures)
        addTarget(targets, group, figures)
        const status = statuses[i]
        if (status && group.httpStatus >= 500) status.failures += group.count
        else if (status && group.httpStatus >= 400) status.refusals += group.count
      }
    },
    {
      by: ['account', 'alias'],
      figure: 'durations',
      period:
        startsMs.length === 0
          ? sql`0`
          : sql`CASE ${sql.join(
              startsMs.map((startMs, i) => sql`WHEN ended_at_ms >= ${startMs} THEN ${sql.lit(i)}`),
              sql` `,
            )} ELSE ${sql.lit(startsMs.length)} END`,
      startOf: (period) => startsMs[period] ?? fromMs,
    },
  )
  return Promise.all(
    spans.map(async ({ firstHour, fromMs: spanFromMs, groups, readFromMs, targets }, i) => {
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

function figuresOfGroup(group: EndedGroup): HealthRow {
  const { accountId, alias, count: calls, firstBytesMs, latenciesMs } = group
  const failed = noFailures()
  const failure = failureClassOf(group)
  if (failure !== null) failed[failure] = calls
  return {
    accountId,
    alias,
    calls,
    failed,
    latencyMs: histogramOf(latenciesMs),
    firstByteMs: histogramOf(firstBytesMs),
  }
}

function histogramOf(durationsMs: readonly number[]): Histogram {
  const histogram = new Histogram()
  for (const ms of durationsMs) histogram.add(ms)
  return histogram
}

/** A call with failed attempts is the only call of its group. */
function addTarget(targets: TargetSums, group: EndedGroup, figures: HealthRow): void {
  const { accountId, attempts, firstBytesMs, latenciesMs, model } = group
  if (attempts.length === 0) {
    if (accountId !== null && model !== null) targets.merge({ ...figures, accountId, model })
    return
  }
  const [latencyMs = 0] = latenciesMs
  targets.add({ ...group, latencyMs, firstByteMs: firstBytesMs[0] ?? null, run: null })
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
    failed: failedIn(row),
    latencyMs: Histogram.fromText(row.latency),
    firstByteMs: Histogram.fromText(row.first_byte),
  }
}

class HealthGroups {
  readonly #rows = new Map<string, HealthRow & CallStatistics>()

  all(): readonly HealthRow[] {
    return [...this.#rows.values()]
  }

  add(figures: HealthRow): void {
    const { accountId, alias, calls } = figures
    // A sum that counts no call contains only the cost of failed attempts (rows/sums-of-calls.ts).
    if (calls === 0) return
    const key = `${accountId}\n${alias}`
    let row = this.#rows.get(key)
    if (row === undefined) this.#rows.set(key, (row = { accountId, alias, ...noCalls() }))
    addCalls(row, figures)
  }
}
