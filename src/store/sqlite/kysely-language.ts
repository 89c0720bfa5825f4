import { type CompiledQuery, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { Language } from '#store/sql/run-kysely-on-engine.ts'
import type { Parameter } from '#store/sql/row-runner-interface.ts'

/**
 * Lets Kysely send a query before the previous one has ended. The connection's thread runs the queries in order.
 * Otherwise, Kysely would send one query in each turn of the event loop, which takes about 25 ms under heavy load.
 */
class SharedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

export const sqlite: Language = {
  createAdapter: () => new SharedAdapter(),
  createIntrospector: (query) => new SqliteIntrospector(query),
  createQueryCompiler: () => new SqliteQueryCompiler(),
}

export function parametersOf(query: CompiledQuery): readonly Parameter[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the engine rejects a value that it cannot bind
  return query.parameters as readonly Parameter[]
}
