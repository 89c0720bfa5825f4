import { type ExpressionBuilder, type Expression, sql, type SqlBool } from 'kysely'
import { dayMs } from '#money/periods-and-windows.ts'
import type { Mode } from '#domain/application-config.ts'
import type {
  InvoiceLineShown,
  InvoiceShown,
  Invoices,
  InvoiceStatus,
} from '#domain/billing/invoice-records.ts'
import { sourceOfMonth } from '#domain/billing/on-demand-months.ts'
import type { Rows } from '#domain/list-page.ts'
import type { DayRange } from '#domain/reports/reports-interface.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { InvoiceLineRow, InvoiceRow, Schema } from '#store/sql/schema.ts'
import { ledgerEntryId } from '#store/rows/ledger-entry-id.ts'
import { keyOfClearing } from '#store/rows/key-of-month-clearing.ts'
import { newestFirst } from '#store/nouns/read-rows-and-pages.ts'

export function invoices(query: Query): Invoices {
  const all = query
    .selectFrom('invoices')
    .innerJoin('end_users', 'end_users.id', 'invoices.end_user_id')
    .selectAll('invoices')
    .select('end_users.external_id')
  const ofMode = (mode: Mode) => all.where('invoices.mode', '=', mode)
  return {
    async insert(issued) {
      if (issued.length === 0) return
      const rows = issued.map(({ lines: _lines, ...invoice }) => columnsOf(invoice))
      await query.insertInto('invoices').values(rows).execute()
      const lines = issued.flatMap((invoice) =>
        invoice.lines.map((line, position) => ({ invoice_id: invoice.id, position, ...columnsOf(line) })),
      )
      await query.insertInto('invoice_lines').values(lines).execute()
    },
    async byId(applicationId, mode, id) {
      const rows = await ofMode(mode)
        .where('invoices.application_id', '=', applicationId)
        .where('invoices.id', '=', id)
        .execute()
      const [shown = null] = await withLines(query, rows)
      return shown
    },
    async list(applicationId, mode, { endUserId, status }, nowMs, page) {
      const { next, rows }: Rows<ShownRow> = await newestFirst(
        ofMode(mode)
          .where('invoices.application_id', '=', applicationId)
          .$if(endUserId !== null, (some) => some.where('invoices.end_user_id', '=', endUserId ?? ''))
          .$if(status !== null, (some) => some.where(has(status ?? 'open', nowMs))),
        page,
        'invoices.id',
        (row) => row,
      )
      return { next, rows: await withLines(query, rows) }
    },
    async all(endUserId, mode) {
      const ofEndUser = ofMode(mode).where('invoices.end_user_id', '=', endUserId)
      return withLines(query, await ofEndUser.orderBy('number').execute())
    },
    async unpaid(endUserId, mode) {
      const rows = await ofMode(mode)
        .where('invoices.end_user_id', '=', endUserId)
        .where('paid_at_ms', 'is', null)
        .where('voided_at_ms', 'is', null)
        .orderBy('number')
        .execute()
      return withLines(query, rows)
    },
    async setPaid(id, atMs) {
      await query.updateTable('invoices').set({ paid_at_ms: atMs }).where('id', '=', id).execute()
    },
    async setVoid(id, atMs) {
      await query.updateTable('invoices').set({ voided_at_ms: atMs }).where('id', '=', id).execute()
    },
  }
}

/** Omits void invoices. Days are days since 1970, UTC. */
export async function invoicedByDay(
  query: Query,
  asked: DayRange & { readonly applicationId: string; readonly mode: Mode },
): Promise<ReadonlyMap<number, bigint>> {
  // The sum of many invoices may not fit into a 64-bit integer, so SQL adds the two parts of each amount separately.
  const { rows } = await sql<{ day: number; upper_micros: bigint; lower_micros: bigint }>`
    SELECT i.created_at_ms / ${sql.lit(dayMs)} AS day,
      sum(i.amount_micros / ${sql.lit(partMicros)}) AS upper_micros,
      sum(i.amount_micros % ${sql.lit(partMicros)}) AS lower_micros
    FROM invoices i
    WHERE i.application_id = ${asked.applicationId} AND i.mode = ${asked.mode} AND i.voided_at_ms IS NULL
      AND i.created_at_ms >= ${asked.fromDay * dayMs} AND i.created_at_ms < ${asked.toDay * dayMs}
    GROUP BY 1`.execute(query)
  return new Map(
    rows.map(({ day, lower_micros: lower, upper_micros: upper }) => [
      day,
      upper * BigInt(partMicros) + lower,
    ]),
  )
}

const partMicros = 1_000_000_000

type ShownRow = InvoiceRow & { external_id: string }

/** Must agree with `invoiceStatus` (domain/billing/invoice-records.ts). */
function has(status: InvoiceStatus, nowMs: number) {
  return (eb: ExpressionBuilder<Schema, 'invoices'>): Expression<SqlBool> => {
    if (status === 'void') return eb('voided_at_ms', 'is not', null)
    if (status === 'paid') return eb('paid_at_ms', 'is not', null)
    return eb.and([
      eb('paid_at_ms', 'is', null),
      eb('voided_at_ms', 'is', null),
      eb('due_at_ms', status === 'open' ? '>' : '<=', nowMs),
    ])
  }
}

async function withLines(query: Query, rows: readonly ShownRow[]): Promise<InvoiceShown[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const lines = await query
    .selectFrom('invoice_lines')
    .selectAll()
    .where('invoice_id', 'in', ids)
    .orderBy('position')
    .execute()
  const months = await query
    .selectFrom('on_demand_months')
    .select(['invoice_id', 'source_id', 'entry'])
    .where('invoice_id', 'in', ids)
    .where('entry', 'is not', null)
    .execute()
  const entries = new Map(months.map((month) => [`${month.invoice_id}/${month.source_id}`, month.entry]))
  const byInvoice = Map.groupBy(lines, ({ invoice_id }) => invoice_id)
  return rows.map((row) => ({
    ...fieldsOf(row),
    lines: (byInvoice.get(row.id) ?? []).map((line) => lineOf(line, entries)),
  }))
}

/** @param entries keyed by `<invoice id>/<source id>` */
function lineOf(
  { invoice_id: invoiceId, position: _position, ...line }: InvoiceLineRow,
  entries: ReadonlyMap<string, number | null>,
): InvoiceLineShown {
  const sourceId = sourceOfMonth(line.name)
  const entry = line.kind === 'on_demand' ? entries.get(keyOfClearing({ invoiceId, sourceId })) : null
  return { ...fieldsOf(line), ledgerEntryId: entry ? ledgerEntryId(entry) : null }
}
