/** Runs Kysely on an engine's query runner. The engines handle transactions, not Kysely. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type OperationNode,
  type QueryResult,
  type RootOperationNode,
  TableNode,
} from 'kysely'
import { moneyColumnsPlugin } from './bigint-only-for-money-columns.ts'
import type { Query } from './database-interface.ts'
import type { Schema } from './schema.ts'
import type { RowsAnswer } from './row-runner-interface.ts'

export type Language = Pick<Dialect, 'createAdapter' | 'createIntrospector' | 'createQueryCompiler'>

export interface Runner {
  run(query: CompiledQuery): Promise<RowsAnswer>
}

export function kyselyOver(runner: Runner, language: Language): Query {
  const dialect: Dialect = { ...language, createDriver: () => driverOver(runner) }
  return new Kysely<Schema>({ dialect, plugins: [moneyColumnsPlugin] })
}

/** By the rules of money/, holds, sources and ledger entries change only together. */
const ofTheLedger = new Set(['holds', 'sources', 'ledger'])

/**
 * Rejects writes to the ledger's tables, and records the written tables. `touched` returns null if the tables are
 * unknown.
 */
export function guardedRunner(inner: Runner): { runner: Runner; touched: () => readonly string[] | null } {
  const tables = new Set<string>()
  let isKnown = true
  const runner: Runner = {
    run(compiled) {
      const table = writtenTable(compiled.query)
      if (table !== null && ofTheLedger.has(table)) {
        return Promise.reject(new Error(`the table ${table} is written by the ledger alone`))
      }
      if (table === 'unknown') isKnown = false
      else if (table !== null) tables.add(table)
      return inner.run(compiled)
    },
  }
  return { runner, touched: () => (isKnown ? [...tables] : null) }
}

function driverOver(runner: Runner): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, changes } = await runner.run(query)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Kysely derived the row type R from this query
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

/** Null if the query writes nothing. `unknown` for raw SQL, and for a query that writes several tables. */
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
