/**
 * The revenue of subscriptions: each invoice line that is not void is spread over the days that it pays for
 * (money/earned-revenue.ts). `plan` lines are revenue, and `unused` lines subtract the remaining days of an earlier
 * plan. `credit` and `carried` lines only move a payment between invoices. Revenue from on-demand usage is counted with
 * the calls. If unused days of a void invoice reduced a later invoice, `revenueChanges` (money/invoice.ts) corrects the
 * revenue of the lines.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Mode } from '#domain/application-config.ts'
import type { DayRange } from '#domain/reports/reports-interface.ts'
import { daysOfLine, earnedWithin } from '#money/earned-revenue.ts'
import { type Issued, revenueChanges } from '#money/invoice.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { InvoiceLineRow, InvoiceRow } from '#store/sql/schema.ts'

export interface RevenueAsked extends DayRange {
  readonly applicationId: string
  readonly mode: Mode
}

/** A line of an invoice covers at most one year. The invoice is issued when the first of its lines' periods begins. */
const longestDays = 370

interface LineGroup {
  /** ID of the end user, or slug of the bundle. Null if revenue is not grouped, or the owner is unknown. */
  readonly owner: string | null
  readonly starts_day: number
  readonly ends_day: number
  readonly amount_micros: bigint
  readonly lines: number
}

export async function earnedInAll(query: Query, asked: RevenueAsked): Promise<bigint> {
  let micros = 0n
  for (const line of await linesOf(query, asked)) micros += earnedOf(line, asked)
  return micros
}

/** Returns micros by the number of the day since January 1, 1970 (UTC). Days without revenue are omitted. */
export async function earnedByDay(query: Query, asked: RevenueAsked): Promise<ReadonlyMap<number, bigint>> {
  const byDay = new Map<number, bigint>()
  for (const line of await linesOf(query, asked)) {
    const span = spanOf(line)
    for (let day = Math.max(span.fromDay, asked.fromDay); day < Math.min(span.toDay, asked.toDay); day++) {
      const micros = earnedOf(line, { fromDay: day, toDay: day + 1 })
      byDay.set(day, (byDay.get(day) ?? 0n) + micros)
    }
  }
  return byDay
}

export async function earnedByEndUser(
  query: Query,
  asked: RevenueAsked,
  endUserIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const byId = new Map<string, bigint>()
  if (endUserIds.length === 0) return byId
  const ofThem = {
    by: 'end_user_id',
    only: sql`i.end_user_id IN (${sql.join(endUserIds)})`,
    voidOnly: sql`v.end_user_id IN (${sql.join(endUserIds)})`,
  } as const
  for (const line of await linesOf(query, asked, ofThem)) addTo(byId, line.owner, earnedOf(line, asked))
  return byId
}

/** Omits invoice lines that were written before the slug was stored. */
export async function earnedByBundle(
  query: Query,
  asked: RevenueAsked,
): Promise<ReadonlyMap<string, bigint>> {
  const bySlug = new Map<string, bigint>()
  const ofBundles = { by: 'bundle', only: sql`l.bundle IS NOT NULL` } as const
  for (const line of await linesOf(query, asked, ofBundles)) addTo(bySlug, line.owner, earnedOf(line, asked))
  return bySlug
}

function addTo(sums: Map<string, bigint>, owner: string | null, micros: bigint): void {
  sums.set(owner ?? '', (sums.get(owner ?? '') ?? 0n) + micros)
}

/** SQL condition on `invoices` i: the invoice has a line with revenue on these days. */
export function earnsIn({ fromDay, toDay }: DayRange): RawBuilder<unknown> {
  return sql`EXISTS (SELECT 1 FROM invoice_lines l WHERE l.invoice_id = i.id AND ${lineIn({ fromDay, toDay })})`
}

function lineIn({ fromDay, toDay }: DayRange): RawBuilder<unknown> {
  return sql`l.kind IN ('plan', 'unused') AND l.starts_at_ms < ${toDay * dayMs}
    AND (l.starts_at_ms >= ${fromDay * dayMs} OR l.ends_at_ms >= ${(fromDay + 1) * dayMs})`
}

interface Owners {
  readonly by: 'end_user_id' | 'bundle' | null
  readonly only: RawBuilder<unknown>
  /** A condition for void invoices. Absent for the void invoices of all end users. */
  readonly voidOnly?: RawBuilder<unknown>
}

const owners = { end_user_id: sql`i.end_user_id`, bundle: sql`l.bundle` }

/**
 * Reads invoice lines grouped by days and amount. There are few groups, because many subscribers have the same plan.
 */
async function linesOf(
  query: Query,
  asked: RevenueAsked,
  of: Owners = { by: null, only: sql`1 = 1` },
): Promise<readonly LineGroup[]> {
  const { applicationId, fromDay, mode, toDay } = asked
  // Skip invoices of renewals whose period ended before the time range. Invoices of plan changes may have lines for
  // longer periods.
  const { rows } = await sql<LineGroup>`
    SELECT ${of.by === null ? sql`NULL` : owners[of.by]} AS owner, l.starts_at_ms / ${sql.lit(dayMs)} AS starts_day,
      l.ends_at_ms / ${sql.lit(dayMs)} AS ends_day, l.amount_micros, count(*) AS lines
    FROM invoices i JOIN invoice_lines l ON l.invoice_id = i.id
    WHERE i.application_id = ${applicationId} AND i.mode = ${mode} AND i.voided_at_ms IS NULL AND ${of.only}
      AND i.created_at_ms >= ${(fromDay - longestDays) * dayMs} AND i.created_at_ms < ${toDay * dayMs}
      AND (i.cause <> 'renewed' OR i.period_end_ms >= ${fromDay * dayMs})
      AND ${lineIn(asked)}
    GROUP BY 1, 2, 3, 4`.execute(query)
  return [...rows, ...(await changesOf(query, asked, of))]
}

type IssuedRow = Omit<InvoiceLineRow, 'invoice_id' | 'position'> &
  Pick<InvoiceRow, 'end_user_id' | 'number' | 'cause' | 'voided_at_ms'>

/**
 * Reads all invoices of the end users with a plan change within the period of an earlier invoice that is void. Only
 * such a plan change can contain unused days of a void invoice. Later invoices can use the credit of these days.
 */
async function changesOf(query: Query, asked: RevenueAsked, of: Owners): Promise<readonly LineGroup[]> {
  const { applicationId, mode, toDay } = asked
  const { rows } = await sql<IssuedRow>`
    SELECT i.end_user_id, i.number, i.cause, i.voided_at_ms,
      l.kind, l.bundle, l.name, l.starts_at_ms, l.ends_at_ms, l.amount_micros
    FROM invoices i JOIN invoice_lines l ON l.invoice_id = i.id
    WHERE i.mode = ${mode} AND i.created_at_ms < ${toDay * dayMs} AND i.end_user_id IN (
      SELECT v.end_user_id FROM invoices v
        JOIN invoices c ON c.end_user_id = v.end_user_id AND c.mode = v.mode AND c.number > v.number
      WHERE v.application_id = ${applicationId} AND v.mode = ${mode} AND v.voided_at_ms IS NOT NULL
        AND v.cause <> 'on_demand' AND c.cause = 'plan_changed' AND c.voided_at_ms IS NULL
        AND c.created_at_ms < v.period_end_ms AND ${of.voidOnly ?? sql`1 = 1`})
    ORDER BY i.end_user_id, i.number, l.position`.execute(query)
  return [...Map.groupBy(rows, (row) => row.end_user_id)].flatMap(([endUserId, ofEndUser]) =>
    revenueChanges(issuedOf(ofEndUser))
      .filter(({ bundle }) => of.by !== 'bundle' || bundle !== null)
      .map(({ amountMicros, bundle, endsAtMs, startsAtMs }) => ({
        owner: of.by === 'end_user_id' ? endUserId : of.by === 'bundle' ? bundle : null,
        starts_day: Math.floor(startsAtMs / dayMs),
        ends_day: Math.floor(endsAtMs / dayMs),
        amount_micros: amountMicros,
        lines: 1,
      })),
  )
}

function issuedOf(rows: readonly IssuedRow[]): readonly Issued[] {
  return [...Map.groupBy(rows, ({ number }) => number).values()].map((lines) => ({
    cause: lines[0]?.cause ?? 'on_demand',
    isVoid: lines.some(({ voided_at_ms }) => voided_at_ms !== null),
    lines: lines.map((line) => fieldsOf(line)),
  }))
}

function spanOf({ ends_day, starts_day }: LineGroup): DayRange {
  return daysOfLine(starts_day * dayMs, ends_day * dayMs)
}

function earnedOf(line: LineGroup, within: DayRange): bigint {
  return BigInt(line.lines) * earnedWithin(line.amount_micros, spanOf(line), within)
}
