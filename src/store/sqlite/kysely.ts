import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, type CompiledQuery } from 'kysely'
import type { Query } from '#store/sql/database.ts'
import { guardedRunner, kyselyOver, type Language } from '#store/sql/kysely.ts'
import type { Parameter, RowReader, RowWriter } from '#store/sql/row-runner.ts'

const sqlite: Language = {
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (query) => new SqliteIntrospector(query),
  createQueryCompiler: () => new SqliteQueryCompiler(),
}

/** Kysely over the reader: each query is a statement of its own. */
export function readingKysely(reader: RowReader): Query {
  return kyselyOver({ run: (query) => reader.query(query.sql, parametersOf(query)) }, sqlite)
}

/** Kysely inside one open transaction, and the tables it has written so far. */
export function writingKysely(
  writer: RowWriter,
  transaction: number,
): { query: Query; touched: () => readonly string[] | null } {
  const { runner, touched } = guardedRunner({
    run: (compiled) => writer.query(transaction, compiled.sql, parametersOf(compiled)),
  })
  return { query: kyselyOver(runner, sqlite), touched }
}

function parametersOf(query: CompiledQuery): readonly Parameter[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the engine refuses a value that it cannot bind
  return query.parameters as readonly Parameter[]
}
