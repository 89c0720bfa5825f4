/**
 * Copies an embedded store to an empty PostgreSQL database, in one transaction. The transaction commits only if every
 * table has the same number of rows and the same sums of money as its source. After an interruption, the database is
 * still empty, and the copy can start again.
 */
import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import type { Client } from 'pg'
import { suffixMs } from '#domain/ids-sorted-by-time.ts'
import { close, connect, poolOf } from '#store/postgres/connection.ts'
import { postgresError } from '#store/postgres/classify-postgres-errors.ts'
import { scalar, withConnection } from '#store/sqlite/connection.ts'
import { openSqlite, pathOfExistingStore } from '#store/sqlite/open-sqlite-store.ts'
import { migratePostgres, pendingInPostgres } from '#store/postgres/migrate.ts'
import { migrationsFor } from '#store/migrations/list-and-load-migrations.ts'
import { isMoneyColumn } from '#store/sql/bigint-only-for-money-columns.ts'
import { unusedLimitsText } from '#store/rows/json-columns.ts'
import { monthOf, Months } from '#store/postgres/monthly-partitions.ts'
import { assertSound } from '#store/ledger/verify/verify.ts'
import { verifyPostgres } from '#store/postgres/verify.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'

export interface CopiedTable {
  readonly table: string
  readonly rows: number
}

export interface CopyOptions {
  readonly folder: string
  readonly url: string
  readonly nowMs: () => number
  readonly told?: (table: CopiedTable) => void
  /** For tests: called before each group of rows is written. */
  readonly step?: (table: string) => void
}

/**
 * Not copied: tables that only the SQLite writer uses, tables with the same row in every store, and spending sums, which
 * are computed again. Sums by hour are copied, because `prune` may have deleted the failed requests in them.
 */
const leftBehind = new Set([
  'writer_slots',
  'source_slots',
  'usage_fold',
  'key_spending',
  'call_fold',
  'hold_slots',
  'emitter_changes',
])

/**
 * A view on the embedded store. After the store was opened, it has only calls whose responses a provider still generates
 * in the background.
 */
const callsInFlight = 'holds'

/** Columns that only PostgreSQL has, and that must not be null. */
const addedTo = (table: string): { readonly names: string; readonly values: string } =>
  table === callsInFlight
    ? { names: ', limits', values: `, '${unusedLimitsText}'` }
    : { names: '', values: '' }

/** This size makes the copy fast and keeps its memory use small. */
const rowsAtOnce = 2_000

/**
 * Checks that no server uses the store and that the database is empty. Ends the calls that a crash left open, as a
 * server does when it starts. Verifies the embedded store before the copy, and the PostgreSQL database after the
 * commit.
 * @throws Error with a message for the operator; nothing was copied unless the message says otherwise
 */
export async function copyToPostgres(options: CopyOptions): Promise<CopiedTable[]> {
  const { folder, nowMs, url } = options
  const path = pathOfExistingStore(folder)
  // Also ends the calls that a dead process left open.
  const store = await openSqlite({
    folder,
    nowMs,
    writer: 'inline',
    onFatal: (error) => {
      throw error
    },
  })
  try {
    assertSound('The embedded store failed its checks', await verifySqlite(path))
    // Reading this table makes the writer empty its slots into `usage_days` and `sources` (sqlite/buffered-day-sums.ts,
    // sqlite/buffered-balances.ts).
    await store.database.read.selectFrom('usage_days').select('day').limit(1).execute()
    const copied = await withConnection(path, 'read', (from) => {
      from.exec('BEGIN')
      return copyFrom(from, options)
    })
    assertSound('The copy failed its checks. Do not serve it', await verifyPostgres(url))
    return copied
  } catch (cause) {
    throw cause instanceof Error && 'severity' in cause ? postgresError(cause) : cause
  } finally {
    await store.close()
  }
}

async function copyFrom(from: DatabaseSync, { nowMs, step, told, url }: CopyOptions): Promise<CopiedTable[]> {
  const tables = tablesOf(from)
  const client = await connect({ url, access: 'write', isPatient: true })
  try {
    await assertUnused(client)
    await migratePostgres(client)
    await assertEmpty(client, tables)
    await makeMonths(url, from)
    await client.query('BEGIN')
    // Skip the triggers for remembered rows, because no connection remembers rows yet
    // (store/postgres/rows-known-to-lane.ts).
    await client.query("SET LOCAL tollgate.lane = 'copy'")
    // A second copy, or a server that starts now, waits here for the commit. It then finds that the database is not
    // empty.
    await client.query('LOCK TABLE organizations IN ACCESS EXCLUSIVE MODE')
    await assertEmpty(client, tables)
    const copied: CopiedTable[] = []
    for (const table of tables) {
      const rows = await copyTable(from, client, table, step)
      await assertSame(from, client, table)
      copied.push({ table, rows })
      told?.({ table, rows })
    }
    await setSequences(from, client, nowMs())
    await client.query('COMMIT')
    return copied
  } finally {
    close(client)
  }
}

/** Each table comes after the tables that its foreign keys refer to. */
function tablesOf(from: DatabaseSync): readonly string[] {
  const names = from
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !leftBehind.has(name))
  const ordered = new Set<string>()
  const add = (name: string): void => {
    const references = from.prepare(`PRAGMA foreign_key_list(${name})`).all()
    for (const { table } of references) if (table !== name && !ordered.has(String(table))) add(String(table))
    ordered.add(name)
  }
  names.forEach(add)
  return [...ordered, callsInFlight]
}

/** A copy that is rejected must not migrate the database, because servers of an older version may use it. */
async function assertUnused(client: Client): Promise<void> {
  const pending = await pendingInPostgres(client)
  if (pending.length < migrationsFor('postgres').length) await assertEmpty(client, ['organizations'])
}

async function assertEmpty(client: Client, tables: readonly string[]): Promise<void> {
  const some = tables.map((table) => `SELECT '${table}' AS name WHERE EXISTS (SELECT 1 FROM ${table})`)
  const { rows } = await client.query<{ name: string }>(some.join(' UNION ALL '))
  if (rows.length === 0) return
  throw new Error(
    `The database is not empty: it has rows in ${rows.map(({ name }) => name).join(', ')}. A copy requires an empty database`,
  )
}

/** Creates all partitions first, because they cannot be attached while rows are written. */
async function makeMonths(url: string, from: DatabaseSync): Promise<void> {
  const pool = poolOf({ url, access: 'write' }, 1)
  try {
    const months = new Set<number>()
    const between = (first: unknown, last: unknown): void => {
      if (typeof first !== 'number' || typeof last !== 'number') return
      for (let month = monthOf(first); month <= monthOf(last); month++) months.add(month)
    }
    between(
      scalar(from, 'SELECT min(created_at_ms) FROM ledger'),
      scalar(from, 'SELECT max(created_at_ms) FROM ledger'),
    )
    for (const table of ['usage_records', 'requests']) {
      between(
        msOf(scalar(from, `SELECT min(call_id) FROM ${table}`)),
        msOf(scalar(from, `SELECT max(call_id) FROM ${table}`)),
      )
    }
    await new Months(pool).make(months)
  } finally {
    await pool.end()
  }
}

function msOf(callId: unknown): number | null {
  return typeof callId === 'string' ? suffixMs(callId) : null
}

async function copyTable(
  from: DatabaseSync,
  client: Client,
  table: string,
  step: ((table: string) => void) | undefined,
): Promise<number> {
  const columns = await columnsOf(from, client, table)
  const names = columns.map(({ name }) => name)
  const arrays = columns.map(({ type }, i) => `$${i + 1}::${type}[]`)
  const added = addedTo(table)
  const insert = `INSERT INTO ${table} (${names.join(', ')}${added.names})
    SELECT *${added.values} FROM unnest(${arrays.join(', ')})`
  const reading = from.prepare(`SELECT ${names.join(', ')} FROM ${table}`)
  reading.setReadBigInts(true)
  reading.setReturnArrays(true)
  let rows = 0
  let group: unknown[][] = []
  const write = async (): Promise<void> => {
    if (group.length === 0) return
    step?.(table)
    const values = names.map((_, column) => group.map((row) => row[column]))
    await client.query(insert, values)
    rows += group.length
    group = []
  }
  for (const row of reading.iterate()) {
    // With setReturnArrays, a row is an array of its columns (node:sqlite).
    group.push(Object.values(row))
    if (group.length === rowsAtOnce) await write()
  }
  await write()
  return rows
}

interface Column {
  readonly name: string
  readonly type: string
}

/** The columns of the embedded store, with their types on PostgreSQL. SQLite reports no types for a view. */
async function columnsOf(from: DatabaseSync, client: Client, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [table],
  )
  const names = from.prepare(`PRAGMA table_info(${table})`).all()
  return names.map(({ name }) => {
    const column = rows.find((row) => row.name === name)
    assert(column !== undefined, `PostgreSQL lacks the column ${String(name)} of ${table}`)
    return column
  })
}

async function assertSame(from: DatabaseSync, client: Client, table: string): Promise<void> {
  const columns = await columnsOf(from, client, table)
  const money = columns.filter(({ name, type }) => type === 'bigint' && isMoneyColumn(name))
  const sums = ['count(*) AS n', ...money.map(({ name }) => `coalesce(sum(${name}), 0) AS sum_${name}`)]
  const sql = `SELECT ${sums.join(', ')} FROM ${table}`
  const reading = from.prepare(sql)
  reading.setReadBigInts(true)
  const there = reading.get() ?? {}
  const { rows } = await client.query<Record<string, unknown>>(sql)
  for (const [name, value] of Object.entries(there)) {
    const copied = rows[0]?.[name]
    if (copied === value) continue
    throw new Error(
      `${table} differs between the two stores: ${name} is ${String(value)}, and ${String(copied)} in the copy`,
    )
  }
}

async function setSequences(from: DatabaseSync, client: Client, nowMs: number): Promise<void> {
  // All processes of the embedded store have ended. The epoch (process number) of this process was copied, too.
  await client.query('UPDATE epochs SET ended_at_ms = coalesce(ended_at_ms, $1)', [nowMs])
  await client.query('UPDATE call_fold SET through_hour = $1', [
    scalar(from, 'SELECT through_hour FROM call_fold'),
  ])
  const next = (sql: string): number => Number(scalar(from, sql)) + 1
  await client.query('UPDATE usage_fold SET through_day = $1', [
    scalar(from, 'SELECT through_day FROM usage_fold'),
  ])
  await client.query(`SELECT setval('ledger_sequence', $1, false), setval('epoch_sequence', $2, false)`, [
    next('SELECT ledger_sequence FROM writer_state'),
    next('SELECT coalesce(max(epoch), 0) FROM epochs'),
  ])
}
