/** Only one transaction of the control plane is open at a time in the whole database. */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { poolOf } from '#store/postgres/connection.ts'
import { PostgresDatabase } from '#store/postgres/database.ts'
import { eventually } from '../support/start-product.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'

describe.skipIf(!hasPostgres)('the time limit of a transaction, with two processes', () => {
  test('the time that a transaction waits for another process does not count toward its time limit', async () => {
    const database = await migratedDatabase()
    const { url } = database
    const pools = [poolOf({ url, access: 'write' }, 2), poolOf({ url, access: 'write' }, 2)] as const
    const one = new PostgresDatabase(pools[0], pools[0])
    const msMax = 1
    const other = new PostgresDatabase(pools[1], pools[1], { msMax })
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const open = one.transaction(() => {
      begun.resolve()
      return end.promise
    })
    await begun.promise
    const waiting = other.transaction(() => Promise.resolve('committed'))
    const waits = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    await eventually(async () => expect((await pools[0].query(waits)).rowCount).toBe(1))
    // Longer than a transaction may be open.
    await delay(20 * msMax)
    end.resolve()
    await open
    expect(await waiting).toBe('committed')
    await Promise.all(pools.map((pool) => pool.end()))
    await database.drop()
  })

  test('a transaction that waits for a locked row fails long before its time limit, so that other transactions can run', async () => {
    const database = await migratedDatabase()
    const pool = poolOf({ url: database.url, access: 'write' }, 2)
    const session = await pool.connect()
    await session.query('CREATE TABLE locked_row (id int4); INSERT INTO locked_row VALUES (1)')
    await session.query('BEGIN; SELECT FROM locked_row FOR UPDATE')
    const control = new PostgresDatabase(pool, pool, { msMax: 3_000 })
    const blocked = control.transaction((tx) => sql`UPDATE locked_row SET id = 2`.execute(tx))
    const next = control.transaction(() => Promise.resolve('committed'))
    await expect(blocked).rejects.toThrow('canceling statement due to lock timeout')
    expect(await next).toBe('committed')
    await session.query('ROLLBACK; DROP TABLE locked_row')
    session.release()
    await pool.end()
    await database.drop()
  })
})

describe.skipIf(!hasPostgres)('queries that a transaction starts together', () => {
  test('each query is sent after the previous query has ended, and a failed query leaves nothing behind', async () => {
    const database = await migratedDatabase()
    const pool = poolOf({ url: database.url, access: 'write' }, 1)
    const running: number[] = []
    pool.on('connect', (client) => {
      let unanswered = 0
      const query: (text: string, values?: unknown[]) => Promise<unknown> = client.query.bind(client)
      const counted = async (text: string, values?: unknown[]): Promise<unknown> => {
        running.push(unanswered)
        unanswered += 1
        try {
          return await query(text, values)
        } finally {
          unanswered -= 1
        }
      }
      Object.assign(client, { query: counted })
    })
    const control = new PostgresDatabase(pool, pool)
    const numbers = await control.transaction((tx) =>
      Promise.all([1, 2, 3, 4].map((n) => sql<{ n: number }>`SELECT ${n}::int4 AS n`.execute(tx))),
    )
    expect(numbers.map(({ rows }) => rows[0]?.n)).toEqual([1, 2, 3, 4])

    const failed = control.transaction(async (tx) => {
      const insert = sql`INSERT INTO quotes (id, body) VALUES ('quote_1', '{}')`.execute(tx)
      await Promise.all([sql`SELECT 1 / 0`.execute(tx), insert, insert])
    })
    await expect(failed).rejects.toThrow('division by zero')
    const left = await control.transaction((tx) => sql`SELECT 1 FROM quotes WHERE id = 'quote_1'`.execute(tx))
    expect(left.rows).toEqual([])
    expect(Math.max(...running)).toBe(0)
    await pool.end()
    await database.drop()
  })

  test('a query that begins after its transaction has failed is rejected, and does not reach the connection', async () => {
    const database = await migratedDatabase()
    const pool = poolOf({ url: database.url, access: 'write' }, 1)
    const control = new PostgresDatabase(pool, pool)
    const end = Promise.withResolvers<void>()
    let late: Promise<unknown> = Promise.resolve()
    const failed = control.transaction((tx) => {
      late = end.promise.then(() => sql`INSERT INTO quotes (id, body) VALUES ('quote_1', '{}')`.execute(tx))
      return Promise.reject(new Error('another part of the work failed'))
    })
    await expect(failed).rejects.toThrow('another part of the work failed')
    end.resolve()
    await expect(late).rejects.toThrow('the transaction has ended')
    const left = await control.transaction((tx) => sql`SELECT 1 FROM quotes WHERE id = 'quote_1'`.execute(tx))
    expect(left.rows).toEqual([])
    await pool.end()
    await database.drop()
  })
})
