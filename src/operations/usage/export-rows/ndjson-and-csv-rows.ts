/** Writes rows of an export as NDJSON and as CSV (RFC 4180). */
import * as z from 'zod'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { UsageRecord } from '#domain/reports/usage-records-interface.ts'
import { csvLine, numeral, type CsvCell } from '#safe-text/csv.ts'

type Cell = string | number | boolean | null | readonly string[] | Readonly<Record<string, string>>

/** Data that a row needs in addition to its record. */
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
  /**
   * `number` means a text of digits, which CSV writes without quotes. JSON writes it as a string, so that it is not
   * rounded.
   */
  readonly as: 'text' | 'number'
}

/** @param as the way in which CSV writes a string in this column */
export function column(name: string, schema: z.ZodType, of: Column['of'], as: Column['as'] = 'text'): Column {
  return { name, schema, of, as }
}

/** Returns the ID of the usage record, or of the correction. */
export function rowId({ callId, correction }: UsageRecord): string {
  return correction?.id ?? idOf('ur', callId)
}

/**
 * Returns the slug of the team, or the ID of the payer if the team was deleted. Null if the request belongs to no team.
 */
export function teamOf({ payerId }: UsageRecord, { labels }: RowContext): string | null {
  return payerId && (labels.get(payerId) ?? payerId)
}

export interface RowFormat {
  readonly mediaType: string
  /** Returns the text before the rows. The text is empty if the format has no header. */
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

/** Returns the schema of a row. */
export function rowSchema(columns: readonly Column[], id: string, description: string): z.ZodType {
  return z
    .object(Object.fromEntries(columns.map(({ name, schema }) => [name, schema])))
    .meta({ id, description })
}
