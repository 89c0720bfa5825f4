import type { Client } from 'pg'
import { isDistributed } from './citus-cluster.ts'
import { close, connect } from './connection.ts'
import { postgresError } from './classify-postgres-errors.ts'
import type { SqlRow } from '#store/rows/read-row-strictly.ts'
import { assertMigratedPostgres } from './migrate.ts'
import { nodesBehind } from './entry-numbers-of-nodes.ts'
import { recordGuards } from './guard-append-only-tables.ts'
import { Differences } from '#store/ledger/verify/first-difference-and-count.ts'
import { newNumbers } from '#store/ledger/verify/checks-in-sql.ts'
import { type Told, verify } from '#store/ledger/verify/verify.ts'
import type { StoreReading, Verification, Words } from '#store/ledger/verify/store-snapshot-interface.ts'

const textJson = String.raw`"([^"\\[:cntrl:]]|\\["\\/bfnrt])*"`
const legJson = String.raw`\[${textJson},"[a-z_]+","[a-z]+","-?\d{1,18}","-?\d{1,18}"(,"-?\d{1,18}")?\]`
/** The form in which rows/legs-column.ts writes legs. PostgreSQL 14 and 15 cannot test whether a text is valid JSON. */
const legsJson = String.raw`^\[(${legJson}(,${legJson})*)?\]$`

const words: Words = {
  // Text that cannot be read must not end the check with an error, so that the checks name its row.
  eachLeg: `json_array_elements(CAST(CASE WHEN h.legs ~ '${legsJson}' THEN h.legs ELSE '[]' END AS json)) leg`,
  policyOf: (quote) => `substring(${quote} FROM '"policy":"(\\w+)"')`,
  // The sequence returns only the first number of each block of entry numbers, so compute the last number of the newest
  // block.
  lastNumber: `(SELECT CASE WHEN s.is_called THEN s.last_value + d.seqincrement - 1 ELSE s.last_value - 1 END
    FROM ledger_sequence s, pg_sequence d WHERE d.seqrelid = 'ledger_sequence'::regclass)`,
}

/** Each node of a distributed database numbers its own ledger entries (entry-numbers-of-nodes.ts). */
const distributedWords: Words = { ...words, lastNumber: null }

const rowsAtOnce = 2_000

/** Returns one result per check, in a fixed order. @throws if the database cannot be read as this store */
export async function verifyPostgres(url: string, told: Told = () => {}): Promise<Verification[]> {
  return verify(await postgresReading(url), told)
}

/** @throws if the database cannot be read as this store */
async function postgresReading(url: string): Promise<StoreReading> {
  // The queries have no time limit, because verifying ten million calls takes minutes.
  const client = await connect({ url, access: 'read', isPatient: true })
  let isOnNodes: boolean
  try {
    await assertMigratedPostgres(client)
    isOnNodes = await isDistributed(client)
    // Citus takes a separate snapshot for each connection to a node. Open only one connection to each node, all at the
    // same time.
    if (isOnNodes) await query(client, 'SET citus.max_adaptive_executor_pool_size = 1')
    await query(client, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    if (isOnNodes) await query(client, 'SELECT count(*) FROM shard_groups')
  } catch (error) {
    close(client)
    throw error
  }
  let cursors = 0
  return {
    words: isOnNodes ? distributedWords : words,
    itself: async () => [
      await tableCheck(client),
      await guardCheck(client),
      ...(isOnNodes ? [await numberCheck(client)] : []),
    ],
    async count(sql) {
      const [row] = await query(client, sql)
      return Number(Object.values(row ?? {})[0])
    },
    async *stream(sql) {
      const cursor = `c${++cursors}`
      await query(client, `DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`)
      for (;;) {
        const rows = await query(client, `FETCH ${rowsAtOnce} FROM ${cursor}`)
        yield* rows
        if (rows.length < rowsAtOnce) break
      }
      await query(client, `CLOSE ${cursor}`)
    },
    async quote(id) {
      const [row] = await query(client, 'SELECT body FROM quotes WHERE id = $1', [id])
      return typeof row?.body === 'string' ? row.body : null
    },
    debits(calls) {
      const legs = calls.flatMap((call) => call.sourceIds.map((sourceId) => ({ ...call, sourceId })))
      // Search by the whole primary key, because no index begins with the number of the entry.
      return query(
        client,
        `SELECT l.call_id, l.source_id, l.amount
         FROM unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::int8[], $6::text[])
           AS w (end_user_id, mode, source_id, first_entry, end_entry, call_id)
         JOIN ledger l ON l.end_user_id = w.end_user_id AND l.mode = w.mode AND l.source_id = w.source_id
           AND l.sequence >= w.first_entry AND l.sequence < w.end_entry AND l.call_id = w.call_id
         WHERE l.kind = 'usage_debit'`,
        [
          legs.map(({ endUserId }) => endUserId),
          legs.map(({ mode }) => mode),
          legs.map(({ sourceId }) => sourceId),
          legs.map(({ firstEntry }) => firstEntry),
          legs.map(({ entriesMax, firstEntry }) => firstEntry + entriesMax),
          legs.map(({ callId }) => callId),
        ],
      )
    },
    async close() {
      close(client)
    },
  }
}

async function query(client: Client, text: string, values: readonly unknown[] = []): Promise<SqlRow[]> {
  try {
    return (await client.query<Record<string, unknown>>(text, [...values])).rows
  } catch (cause) {
    throw postgresError(cause)
  }
}

async function tableCheck(client: Client): Promise<Verification> {
  const found = new Differences()
  const rows = await query(
    client,
    `SELECT 'index ' || c.relname || ' is not valid' AS fault
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE c.relnamespace = current_schema()::regnamespace AND NOT (i.indisvalid AND i.indisready)
     UNION ALL
     SELECT 'constraint ' || conname || ' was never validated' FROM pg_constraint
       WHERE connamespace = current_schema()::regnamespace AND NOT convalidated`,
  )
  for (const { fault } of rows) found.add(String(fault))
  const [tables] = await query(
    client,
    `SELECT count(*) AS tables FROM pg_tables WHERE schemaname = current_schema()`,
  )
  return {
    check: 'indexes and constraints are valid',
    rows: Number(tables?.tables),
    difference: found.text(),
  }
}

/**
 * The tables of record and their monthly partitions must be protected against changes (guard-append-only-tables.ts).
 */
async function guardCheck(client: Client): Promise<Verification> {
  const found = new Differences()
  const { faults, tables } = await recordGuards(client)
  for (const fault of faults) found.add(fault)
  return { check: 'records cannot be changed or deleted', rows: tables, difference: found.text() }
}

async function numberCheck(client: Client): Promise<Verification> {
  const found = new Differences()
  const behind = await nodesBehind(client, { table: 'ledger', highest: 'max(sequence)' })
  for (const node of behind) found.add(`${node} has entries with the next numbers: run tollgate scale apply`)
  return { check: newNumbers, rows: 1, difference: found.text() }
}
