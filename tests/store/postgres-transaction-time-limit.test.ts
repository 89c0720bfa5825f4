/** Only one transaction of the control plane is open at a time in the whole database. */
import { setTimeout as delay } from 'node:timers/promises'
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
})
