import { type Expression, type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import type { Page, Position, Rows } from '#domain/list-page.ts'
import { isPostgres, type Query } from '#store/sql/database-interface.ts'

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

/**
 * Whether a column contains a text, in upper or lower case.
 *
 * SQLite's `lower` and `LIKE` know the case of ASCII letters only, and PostgreSQL's depend on the locale of the
 * database. A text with other letters is therefore searched with a pattern that has a set of characters at each
 * position.
 */
export function containsText(query: Query, column: RawBuilder<unknown>, text: string): RawBuilder<SqlBool> {
  if (/^[\x20-\x7e]*$/.test(text)) {
    const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
    return sql<SqlBool>`lower(${column}) LIKE ${pattern} ESCAPE '\\'`
  }
  const characters = Array.from(text, bothCases)
  if (!isPostgres(query)) return sql<SqlBool>`${column} GLOB ${`*${characters.map(setOfGlob).join('')}*`}`
  return sql<SqlBool>`${column} ~ ${characters.map(setOfExpression).join('')}`
}

/** Returns the character itself if it has no other case, or if the other case has several characters. */
function bothCases(character: string): string {
  const cases = new Set([character, character.toLowerCase(), character.toUpperCase()])
  return [...cases].filter((one) => Array.from(one).length === 1).join('')
}

function setOfGlob(cases: string): string {
  return /^[^*?[]$/u.test(cases) ? cases : `[${cases}]`
}

function setOfExpression(cases: string): string {
  return /^[!-/:-@[-`{-~]$/.test(cases) ? `\\${cases}` : `[${cases}]`
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
