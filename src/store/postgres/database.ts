import { type CompiledQuery, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import type { Reader } from '#domain/store-interface.ts'
import {
  type Database,
  DistributedAdapter,
  type Query,
  transactionMsMax,
} from '#store/sql/database-interface.ts'
import { readLimits, transactionLimits, Turns } from '#store/sql/turns-for-statements.ts'
import { guardedRunner, kyselyOver, type Language } from '#store/sql/run-kysely-on-engine.ts'
import type { LookUpConnections } from './look-up-connections.ts'
import { rowLockMsMax } from './connection.ts'
import { isAway, postgresCode, postgresError } from './classify-postgres-errors.ts'
import type { RowsAnswer } from '#store/sql/row-runner-interface.ts'
import { TransactionOverdue, withinLimit } from '#store/sql/transaction-time-limit.ts'

const postgres: Language = {
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (query) => new PostgresIntrospector(query),
  createQueryCompiler: () => new PostgresQueryCompiler(),
}

/**
 * Makes Citus read shards one after another. After a parallel read, the same transaction may not change a table to
 * which the shards refer by a foreign key.
 */
const oneConnection = `SET LOCAL citus.multi_shard_modify_mode = 'sequential'`
const distributed: Language = { ...postgres, createAdapter: () => new DistributedAdapter() }

/**
 * In the whole database, only one transaction of the control plane is open at a time, and that transaction holds this
 * lock. The rows that an operation has read therefore do not change before the operation writes, as on the embedded
 * store. The ledger does not take this lock, and waits only for rows that such a transaction changed. The first number
 * of the lock is the text `toll` as bytes.
 *
 * All other transactions wait while this transaction waits for a row, so this wait has a short time limit.
 */
const transactionLock = [0x746f_6c6c, 1] as const
const lockText = `SELECT pg_advisory_xact_lock(${transactionLock.join(', ')});
  SET LOCAL lock_timeout = ${rowLockMsMax}`

/** Connections for look-ups (look-up-connections.ts) and for reports. */
export const lookUpsMax = 2
export const reportsMax = 4
export const readersMax = lookUpsMax + reportsMax

interface Form {
  readonly msMax?: number
  readonly isDistributed?: boolean
  /** Omit to run look-ups on the connections for reports. */
  readonly lookUps?: LookUpConnections
}

export class PostgresDatabase implements Database {
  readonly read: Query
  readonly #readers: Pool
  readonly #transactions = new Turns(transactionLimits)
  readonly #reads = new Turns({ ...readLimits, atOnce: reportsMax })
  readonly #writers: Pool
  readonly #msMax: number
  readonly #language: Language
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    readers: Pool,
    writers: Pool,
    { isDistributed = false, lookUps, msMax = transactionMsMax }: Form = {},
  ) {
    this.#language = isDistributed ? distributed : postgres
    this.read = kyselyOver({ run: (query) => readFrom(lookUps ?? readers, query) }, this.#language)
    this.#readers = readers
    this.#writers = writers
    this.#msMax = msMax
  }

  readFor(reader: Reader): Query {
    const turns = this.#reads.of(reader)
    const inTurn = (query: CompiledQuery): Promise<RowsAnswer> =>
      turns.run(async () => {
        const startedMs = performance.now()
        try {
          return await readFrom(this.#readers, query)
        } finally {
          reader.onCost(performance.now() - startedMs)
        }
      })
    return kyselyOver({ run: inTurn }, this.#language)
  }

  isEnvironmental(error: unknown): boolean {
    return isAway(postgresCode(error))
  }

  transaction<T>(work: (tx: Query) => Promise<T>, reader?: Reader): Promise<T> {
    const begin = (): Promise<T> => this.#queued(work)
    return reader === undefined ? begin() : this.#transactions.of(reader).run(begin)
  }

  #queued<T>(work: (tx: Query) => Promise<T>): Promise<T> {
    // Let transactions of this process wait here, so that none of them occupies a connection while it waits for the
    // lock.
    const running = this.#last.then(() =>
      runTransaction(this.#writers, { language: this.#language, msMax: this.#msMax, lock: lockText }, work),
    )
    this.#last = running.catch(() => {})
    return running
  }
}

/**
 * Returns a function that runs transactions without taking `transactionLock`. Such a transaction must be short. It may
 * write only rows that neither a ledger batch nor a transaction with the lock writes.
 */
export function transactionsApart(pool: Pool): Pick<Database, 'transaction'> {
  const form = { language: postgres, msMax: transactionMsMax, lock: null }
  return { transaction: (work) => runTransaction(pool, form, work) }
}

interface TransactionForm {
  readonly language: Language
  readonly msMax: number
  /** The statement that takes the lock. Null if no lock is taken. */
  readonly lock: string | null
}

async function runTransaction<T>(
  pool: Pool,
  { language, lock, msMax }: TransactionForm,
  work: (tx: Query) => Promise<T>,
): Promise<T> {
  const client = await connected(pool)
  const session = oneQueryAtATime(client)
  const { runner } = guardedRunner({ run: (query) => runQuery(session, query) })
  let isSound = false
  try {
    await answered(session.query('BEGIN'))
    if (language === distributed) await answered(session.query(oneConnection))
    if (lock !== null) await answered(session.query(lock))
    const result = await withinLimit(work(kyselyOver(runner, language)), msMax)
    const { command } = await answered(session.end('COMMIT'))
    // Check the command, because COMMIT rolls back a failed transaction without returning an error.
    if (command !== 'COMMIT') throw new Error('a transaction went on after a query in it had failed')
    isSound = true
    return result
  } catch (error) {
    // Close the connection of a transaction that timed out, which rolls back the transaction. Its query may still be
    // running.
    // Close a connection whose session is denied, because the session may have settings that were corrected since.
    if (!(error instanceof TransactionOverdue))
      isSound = (await isRolledBack(session)) && postgresCode(error) !== 'denied'
    throw error
  } finally {
    client.release(!isSound)
  }
}

/**
 * Sends each query after the previous query has ended, although operations start several reads together. The driver has
 * a queue too, but its next major version rejects a query while another query is running. After `end`, every query is
 * rejected. Otherwise, a part of the work that goes on after a failure could write on a connection that another
 * transaction uses.
 */
function oneQueryAtATime(client: PoolClient): TransactionSession {
  let last: Promise<unknown> = Promise.resolve()
  let hasEnded = false
  const send = <Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<Row>> => {
    const result = last.then(() => client.query<Row>(text, values))
    last = result.catch(() => {})
    return result
  }
  return {
    query: (text, values) =>
      hasEnded ? Promise.reject(new Error('the transaction has ended')) : send(text, values),
    end(text) {
      hasEnded = true
      return send(text)
    },
  }
}

type Readers = Pick<LookUpConnections, 'query'>

interface Session {
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<Row>>
}

interface TransactionSession extends Session {
  end(text: 'COMMIT' | 'ROLLBACK'): Promise<QueryResult>
}

/** @throws StoreUnavailable if the database is unavailable and the query only reads, so that the caller can retry it */
async function readFrom(readers: Readers, query: CompiledQuery): Promise<RowsAnswer> {
  try {
    return await runQuery(readers, query)
  } catch (cause) {
    const isRead = query.query.kind === 'SelectQueryNode' || query.query.kind === 'RawNode'
    if (isRead && isAway(postgresCode(cause))) throw new StoreUnavailable('read rows', { cause })
    throw cause
  }
}

async function connected(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (cause) {
    throw postgresError(cause)
  }
}

async function isRolledBack(session: TransactionSession): Promise<boolean> {
  try {
    await session.end('ROLLBACK')
    return true
  } catch {
    return false
  }
}

async function answered(answer: Promise<QueryResult>): Promise<QueryResult> {
  try {
    return await answer
  } catch (cause) {
    throw postgresError(cause)
  }
}

async function runQuery(on: Readers, { parameters, query, sql }: CompiledQuery): Promise<RowsAnswer> {
  try {
    const { rowCount, rows } = await on.query<Record<string, unknown>>(sql, [...parameters])
    const answersRows = query.kind === 'SelectQueryNode' || rows.length > 0
    return { rows, changes: answersRows ? null : BigInt(rowCount ?? 0) }
  } catch (cause) {
    throw postgresError(cause)
  }
}
