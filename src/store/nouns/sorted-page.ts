import { type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import type { Page, Rows } from '#domain/list-page.ts'
import {
  isTextSort,
  placeOfPosition,
  positionOfPlace,
  type Sorting,
} from '#domain/list-sorting-and-filters.ts'
import { isDistributed, type Query } from '#store/sql/database-interface.ts'

export interface SortValues {
  /** Never null: text or an integer, according to `isTextSort`. May use the columns of `parts`. */
  readonly value: RawBuilder<unknown>
  /** Queries that are joined to the list. Each query returns at most one row for each row of the list. */
  readonly parts?: readonly Part[]
}

interface Part {
  readonly name: string
  readonly rows: RawBuilder<unknown>
  readonly isOfRow: RawBuilder<SqlBool>
}

/**
 * Every page computes the value of all rows, so the query must be limited to one application.
 * @param by.id the column that orders rows with equal values, as it is named in the query
 */
export async function sortedPage<DB, Tables extends keyof DB, Row, Item>(
  query: Query,
  selected: SelectQueryBuilder<DB, Tables, Row>,
  by: SortValues & { readonly id: string },
  page: Page & { readonly sorting: Sorting<string> },
  itemOf: (row: Row) => Item,
): Promise<Rows<Item>> {
  const { limit, sorting } = page
  const order = sql.raw(sorting.direction === 'asc' ? 'ASC' : 'DESC')
  const id = sql.ref<string>(by.id)
  const values = withParts(selected.clearSelect(), by.parts).select([
    id.as('row_id'),
    by.value.as('sort_value'),
  ])
  // Without MATERIALIZED, SQLite computes the value again at every use. With MATERIALIZED, a distributed database would
  // collect the values of all rows, instead of one page of each shard. Kysely adds the parentheses around `values`.
  const { rows: places } = await sql<{ id: string; value: string }>`
    WITH ranked AS ${sql.raw(isDistributed(query) ? 'NOT MATERIALIZED' : 'MATERIALIZED')} ${values}
    SELECT row_id AS id, CAST(sort_value AS TEXT) AS value FROM ranked
    WHERE ${isBehind(page)} ORDER BY sort_value ${order}, row_id ${order} LIMIT ${limit + 1}`.execute(query)
  const shown = places.slice(0, limit)
  const last = shown.at(-1)
  if (last === undefined) return { rows: [], next: null }
  const ids = shown.map((place) => place.id)
  const rows = await selected
    .select(id.as('row_id'))
    .where(sql<SqlBool>`${id} IN (${sql.join(ids)})`)
    .execute()
  const byId = new Map<string, Row>()
  for (const row of rows) {
    const { row_id: rowId, ...rest } = row as Row & { readonly row_id: string }
    byId.set(rowId, rest as Row)
  }
  return {
    rows: ids.flatMap((one) => {
      const row = byId.get(one)
      return row === undefined ? [] : [itemOf(row)]
    }),
    next: places.length > limit ? positionOfPlace(sorting, last) : null,
  }
}

function withParts<DB, Tables extends keyof DB, Row>(
  selected: SelectQueryBuilder<DB, Tables, Row>,
  parts: readonly Part[] = [],
): SelectQueryBuilder<DB, Tables, Row> {
  let joined = selected
  for (const { isOfRow, name, rows } of parts) {
    // Only the raw SQL of the sorted value uses the joined columns, so the query's type does not need them.
    joined = joined.leftJoin(sql`(${rows})`.as(name), (join) => join.on(isOfRow))
  }
  return joined
}

function isBehind({ after, sorting }: Page & { readonly sorting: Sorting<string> }): RawBuilder<SqlBool> {
  const place = after && placeOfPosition(sorting, after)
  if (!place) return sql<SqlBool>`1 = 1`
  const value = isTextSort(sorting.by) ? place.value : BigInt(place.value)
  const behind = sql.raw(sorting.direction === 'asc' ? '>' : '<')
  return sql<SqlBool>`(sort_value ${behind} ${value} OR (sort_value = ${value} AND row_id ${behind} ${place.id}))`
}
