import type { DatabaseSync } from 'node:sqlite'
import { openConnection, scalar } from './connection.ts'
import { daysWithSlots, pendingSlots } from './buffered-day-sums.ts'
import { hasWaiting } from './buffered-balances.ts'
import { WaitingSources } from './views-with-buffered-balances.ts'
import { schemaDifference } from './schema-difference.ts'
import { assertMigrated } from './migrate.ts'
import { Differences } from '#store/ledger/verify/first-difference-and-count.ts'
import { type Told, verify } from '#store/ledger/verify/verify.ts'
import type { StoreReading, Verification, Words } from '#store/ledger/verify/store-snapshot-interface.ts'

const words: Words = {
  // Unreadable legs must not end the check with an error, so that it names the hold.
  eachLeg: `json_each(CASE WHEN json_valid(h.legs) THEN h.legs ELSE '[]' END) leg`,
  policyOf: (quote) => `CASE WHEN json_valid(${quote}) THEN ${quote} END ->> 'policy'`,
  lastNumber: '(SELECT ledger_sequence FROM writer_state)',
}

const guardsOf = ['ledger', 'usage_records', 'quotes', 'call_corrections'].flatMap((table) => [
  `${table}_no_update`,
  `${table}_no_delete`,
])

/** In a fixed order. @throws if the file cannot be read as this store */
export async function verifySqlite(path: string, told: Told = () => {}): Promise<Verification[]> {
  return verify(sqliteReading(path), told)
}

/** @throws if the file cannot be read as this store */
function sqliteReading(path: string): StoreReading {
  const connection = openConnection(path, 'read')
  try {
    assertMigrated(connection)
    // In one transaction, a server's later writes are not visible.
    connection.exec('BEGIN')
    // If the file's server runs or was killed, the slots are not empty, so check them, too.
    if (Number(scalar(connection, pendingSlots)) > 0)
      connection.exec(`CREATE TEMP VIEW usage_days AS ${daysWithSlots}`)
    if (scalar(connection, hasWaiting) === 1) new WaitingSources(connection).refresh()
  } catch (error) {
    connection.close()
    throw error
  }
  const quote = connection.prepare('SELECT body FROM quotes WHERE id = ?')
  const debits = connection.prepare(
    `SELECT call_id, source_id, amount FROM ledger
     WHERE sequence >= ? AND sequence < ? AND call_id = ? AND kind = 'usage_debit'`,
  )
  debits.setReadBigInts(true)
  return {
    words,
    itself: async () => [fileCheck(connection), schemaCheck(connection), guardCheck(connection)],
    count: async (sql) => Number(scalar(connection, sql)),
    async *stream(sql) {
      const statement = connection.prepare(sql)
      statement.setReadBigInts(true)
      yield* statement.iterate()
    },
    async quote(id) {
      const body = quote.get(id)?.body
      return typeof body === 'string' ? body : null
    },
    debits: async (calls) =>
      calls.flatMap(({ callId, entriesMax, firstEntry }) =>
        debits.all(firstEntry, firstEntry + entriesMax, callId),
      ),
    async close() {
      connection.close()
    },
  }
}

function fileCheck(connection: DatabaseSync): Verification {
  const found = new Differences()
  for (const row of connection.prepare('PRAGMA integrity_check(10)').iterate()) {
    if (row.integrity_check !== 'ok') found.add(String(row.integrity_check))
  }
  for (const row of connection.prepare('PRAGMA foreign_key_check').iterate()) {
    found.add(`a row of ${String(row.table)} refers to a row of ${String(row.parent)} that does not exist`)
  }
  return {
    check: 'the database file is intact',
    rows: Number(scalar(connection, 'PRAGMA page_count')),
    difference: found.text(),
  }
}

function schemaCheck(connection: DatabaseSync): Verification {
  return {
    check: 'the schema matches the migrations',
    rows: Number(scalar(connection, 'SELECT count(*) FROM sqlite_schema')),
    difference: schemaDifference(connection),
  }
}

function guardCheck(connection: DatabaseSync): Verification {
  const found = new Differences()
  const there = connection.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).all()
  const names = new Set(there.map(({ name }) => name))
  for (const guard of guardsOf) if (!names.has(guard)) found.add(`the trigger ${guard} is missing`)
  return { check: 'records cannot be changed or deleted', rows: guardsOf.length, difference: found.text() }
}
