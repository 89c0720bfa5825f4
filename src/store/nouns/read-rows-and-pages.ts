import { type Expression, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import type { Page, Position, Rows } from '#domain/list-page.ts'

export async function first<Row, Item>(
  query: { executeTakeFirst(): Promise<Row | undefined> },
  itemOf: (row: Row) => Item,
): Promise<Item | null> {
  const row = await query.executeTakeFirst()
  return row === undefined ? null : itemOf(row)
}

export async function every<Row, Item>(
  query: { execute(): Promise<Row[]> },
  itemOf: (row: Row) => Item,
): Promise<Item[]> {
  const rows = await query.execute()
  return rows.map(itemOf)
}

/** @param id column that orders rows of the same millisecond, as it is named in the query */
export async function newestFirst<DB, Tables extends keyof DB, Row extends { created_at_ms: number }, Item>(
  query: SelectQueryBuilder<DB, Tables, Row>,
  page: Page,
  id: string,
  itemOf: (row: Row) => Item,
): Promise<Rows<Item>> {
  const [column = id, table] = id.split('.').toReversed()
  const at = table === undefined ? 'created_at_ms' : `${table}.created_at_ms`
  const rows = await query
    .where(isAfter(page, at, id))
    .orderBy(sql.ref(at), 'desc')
    .orderBy(sql.ref(id), 'desc')
    .limit(page.limit + 1)
    .execute()
  const positionOf = (row: Row): Position => ({
    at: row.created_at_ms,
    id: String((row as Readonly<Record<string, unknown>>)[column]),
  })
  return pageOfRows(rows, page, positionOf, itemOf)
}

/** Must be used with ESCAPE '\'. */
export function partPattern(text: string): string {
  return `%${text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}

/** Removes the extra row that the query read beyond the page, and returns where the next page starts. */
export function pageOfRows<Row, Item>(
  rows: readonly Row[],
  page: Page,
  positionOf: (row: Row) => Position,
  itemOf: (row: Row) => Item,
): Rows<Item> {
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  return {
    rows: shown.map(itemOf),
    next: rows.length > page.limit && last !== undefined ? positionOf(last) : null,
  }
}

/**
 * Compares the columns one by one, because not every engine can compare rows.
 * @param at column by which rows are ordered
 * @param id column or expression that distinguishes rows with equal `at`
 */
export function isAfter(page: Page, at: string, id: string | Expression<string>): Expression<SqlBool> {
  const { after } = page
  if (after === null) return sql<SqlBool>`1 = 1`
  const idOperand = typeof id === 'string' ? sql.ref(id) : id
  return sql<SqlBool>`(${sql.ref(at)} < ${after.at} or (${sql.ref(at)} = ${after.at} and ${idOperand} < ${after.id}))`
}
