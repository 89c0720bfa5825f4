import { type Expression, sql, type SqlBool } from 'kysely'
import { isPostgres, type Query } from '#store/sql/database.ts'

/** A column holds a text, letter by letter: LIKE would read some of them as wildcards. */
export function holds(query: Query, column: string, text: string): Expression<SqlBool> {
  const position = isPostgres(query) ? sql`strpos` : sql`instr`
  return sql<SqlBool>`${position}(${sql.ref(column)}, ${text}) > 0`
}
