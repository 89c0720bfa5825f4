/** CSV follows RFC 4180. */
import * as z from 'zod'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { UsageRecord } from '#domain/reports/usage-records-interface.ts'
import { csvLine, numeral, type CsvCell } from '#safe-text/csv.ts'

type Cell = string | number | boolean | null | readonly string[] | Readonly<Record<string, string>>

export interface RowContext {
  readonly applicationSlug: string
  readonly mode: string
  /** Labels of the organization's provider accounts, by ID, and slugs of teams, by payer. */
  readonly labels: ReadonlyMap<string, string>
}

export interface Column {
  readonly name: string
  readonly schema: z.ZodType
  readonly of: (record: UsageRecord, context: RowContext) => Cell
  /** In JSON, a number is a string of digits, so that it is not rounded. In CSV, it has no quotes. */
  readonly as: 'text' | 'number'
}

export function column(name: string, schema: z.ZodType, of: Column['of'], as: Column['as'] = 'text'): Column {
  return { name, schema, of, as }
}

export function rowId({ callId, correction }: UsageRecord): string {
  return correction?.id ?? idOf('ur', callId)
}

/** Returns the ID of the payer if the team was deleted. */
export function teamOf({ payerId }: UsageRecord, { labels }: RowContext): string | null {
  return payerId && (labels.get(payerId) ?? payerId)
}

export interface RowFormat {
  readonly mediaType: string
  head(columns: readonly Column[]): string
  row(columns: readonly Column[], record: UsageRecord, context: RowContext): string
}

export const ndjson: RowFormat = {
  mediaType: 'application/x-ndjson',
  head: () => '',
  row(columns, record, context) {
    const json: Record<string, Cell> = {}
    for (const { name, of } of columns) json[name] = of(record, context)
    return `${JSON.stringify(json)}\n`
  },
}

export const csv: RowFormat = {
  mediaType: 'text/csv; charset=utf-8; header=present',
  head: (columns) => `${columns.map(({ name }) => name).join(',')}\r\n`,
  row: (columns, record, context) => csvLine(columns.map(({ as, of }) => csvCell(of(record, context), as))),
}

function csvCell(cell: Cell, as: Column['as']): CsvCell {
  if (cell !== null && typeof cell === 'object') return JSON.stringify(cell)
  return typeof cell === 'string' && as === 'number' ? numeral(cell) : cell
}

export function rowSchema(columns: readonly Column[], id: string, description: string): z.ZodType {
  return z
    .object(Object.fromEntries(columns.map(({ name, schema }) => [name, schema])))
    .meta({ id, description })
}
