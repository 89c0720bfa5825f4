import assert from 'node:assert/strict'
import { sql, type Expression, type SqlBool } from 'kysely'
import { priceFromJson, priceToJson, type Price } from '#money/price.ts'
import type { Page, Position, Rows } from '#domain/store.ts'
import type { Flag } from '#store/sql/schema.ts'

/** Cuts the one row too many that was asked for, and says where the next page starts. */
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
 * `(at, id)` lies after the page's start in newest-first order. Spelt out: not every engine compares rows.
 * @param at column to order by
 * @param id column, or an expression, that tells rows of one `at` apart
 */
export function isAfter(page: Page, at: string, id: string | Expression<string>): Expression<SqlBool> {
  const { after } = page
  if (after === null) return sql<SqlBool>`1 = 1`
  const idOperand = typeof id === 'string' ? sql.ref(id) : id
  return sql<SqlBool>`(${sql.ref(at)} < ${after.at} or (${sql.ref(at)} = ${after.at} and ${idOperand} < ${after.id}))`
}

export function flag(isSet: boolean): Flag {
  return isSet ? 1 : 0
}

/** A JSON column that only this folder and the ledger write. */
export function stringsOf(text: string): string[] {
  const parsed: unknown = JSON.parse(text)
  assert(
    Array.isArray(parsed) && parsed.every((item) => typeof item === 'string'),
    'a column of strings holds them',
  )
  return parsed
}

export function priceText(price: Price): string {
  return JSON.stringify(priceToJson(price))
}

export function priceOf(text: string): Price {
  const price = priceFromJson(JSON.parse(text))
  assert(price !== null, 'a stored price is a price')
  return price
}
