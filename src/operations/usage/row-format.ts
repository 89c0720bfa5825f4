/** How rows of an export are written: as NDJSON, and as CSV (RFC 4180). */
import * as z from 'zod'
import { idOf } from '#domain/id.ts'
import type { UsageRecord } from '#domain/usage-records.ts'

type Cell = string | number | boolean | null | Readonly<Record<string, string>>

/** What a row needs besides its record. */
export interface RowContext {
  readonly applicationSlug: string
  readonly mode: string
  /** Of the organization's provider accounts, by id. */
  readonly labels: ReadonlyMap<string, string>
}

export interface Column {
  readonly name: string
  readonly schema: z.ZodType
  readonly of: (record: UsageRecord, context: RowContext) => Cell
  /** `number`: digits, which CSV has without quotes. JSON has them as text, so that none is rounded. */
  readonly as: 'text' | 'number'
}

/** @param as how CSV has a string of this column */
export function column(name: string, schema: z.ZodType, of: Column['of'], as: Column['as'] = 'text'): Column {
  return { name, schema, of, as }
}

/** The ID of the usage record, or of the correction. */
export function rowId({ callId, correction }: UsageRecord): string {
  return correction?.id ?? idOf('ur', callId)
}

export interface RowFormat {
  readonly mediaType: string
  /** What precedes the rows; empty: nothing. */
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
  row: (columns, record, context) =>
    `${columns.map(({ as, of }) => cellText(of(record, context), as)).join(',')}\r\n`,
}

/** Null is an empty cell, and an empty text a quoted one. */
function cellText(cell: Cell, as: Column['as']): string {
  if (cell === null) return ''
  if (typeof cell === 'object') return quoted(JSON.stringify(cell))
  if (typeof cell !== 'string' || as === 'number') return String(cell)
  return quoted(neutralised(cell))
}

/** Quoted always: a program that splits at semicolons or tabs would begin a cell in the middle of a bare one. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

/**
 * Spreadsheets run what begins like a formula, and ids of people may (owasp.org/www-community/attacks/CSV_Injection).
 * An apostrophe before it makes it text; one before an apostrophe, too, makes that undone by a rule: drop one.
 */
function neutralised(text: string): string {
  return /^['=+\-@\t\r＝＋－＠]/u.test(text) ? `'${text}` : text
}

/** The schema of a row. */
export function rowSchema(columns: readonly Column[], id: string, description: string): z.ZodType {
  return z
    .object(Object.fromEntries(columns.map(({ name, schema }) => [name, schema])))
    .meta({ id, description })
}
