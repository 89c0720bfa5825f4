import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type OperationNode,
  type QueryResult,
  type RootOperationNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  TableNode,
} from 'kysely'
import { moneyColumnsPlugin } from '#store/money-columns.ts'
import type { Query } from '#store/database.ts'
import type { Schema } from '#store/schema.ts'
import type { Parameter, RowReader, RowsAnswer, RowWriter } from './rows.ts'

/** Kysely over the reader: each query is a statement of its own. */
export function readingKysely(reader: RowReader): Query {
  return kyselyOver({ run: (query) => reader.query(query.sql, parametersOf(query)) })
}

/** Kysely inside one open transaction, and the tables it has written so far. */
export function writingKysely(
  writer: RowWriter,
  transaction: number,
): { query: Query; touched: () => readonly string[] | null } {
  const tables = new Set<string>()
  let isKnown = true
  const query = kyselyOver({
    run(compiled) {
      const table = writtenTable(compiled.query)
      // Open holds live in the ledger's memory from reserve to settle: no one else may change them.
      if (table === 'holds') return Promise.reject(new Error('holds are written by the ledger alone'))
      if (table === 'unknown') isKnown = false
      else if (table !== null) tables.add(table)
      return writer.query(transaction, compiled.sql, parametersOf(compiled))
    },
  })
  return { query, touched: () => (isKnown ? [...tables] : null) }
}

interface Runner {
  run(query: CompiledQuery): Promise<RowsAnswer>
}

function kyselyOver(runner: Runner): Query {
  return new Kysely<Schema>({ dialect: dialectOver(runner), plugins: [moneyColumnsPlugin] })
}

function dialectOver(runner: Runner): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driverOver(runner),
    createIntrospector: (query) => new SqliteIntrospector(query),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

function driverOver(runner: Runner): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, changes } = await runner.run(query)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- R is what Kysely has worked out that this query answers
      const typed = rows as unknown as R[]
      return changes === null ? { rows: typed } : { rows: typed, numAffectedRows: changes }
    },
    streamQuery: () => {
      throw new Error('streamed queries are not supported: page instead')
    },
  }
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: noTransaction,
    commitTransaction: noTransaction,
    rollbackTransaction: noTransaction,
    releaseConnection: async () => {},
    destroy: async () => {},
  }
}

function noTransaction(): Promise<never> {
  return Promise.reject(new Error('use Database.transaction, and never one inside another'))
}

function parametersOf(query: CompiledQuery): readonly Parameter[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the engine refuses a value that it cannot bind
  return query.parameters as readonly Parameter[]
}

/** Null for a query that writes nothing; `unknown` for raw SQL and what is not plainly one table. */
function writtenTable(node: RootOperationNode): string | null {
  switch (node.kind) {
    case 'SelectQueryNode':
      return null
    case 'InsertQueryNode':
      return tableName(node.into)
    case 'UpdateQueryNode':
      return tableName(node.table)
    case 'DeleteQueryNode':
      return node.from.froms.length === 1 ? tableName(node.from.froms[0]) : 'unknown'
    default:
      return 'unknown'
  }
}

function tableName(node: OperationNode | undefined): string {
  return node !== undefined && TableNode.is(node) ? node.table.identifier.name : 'unknown'
}
