/**
 * The rehearsal before the first batch (store/postgres/batch-warm-up.ts) must leave no rows, and must not prevent a
 * start.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withClient } from '#store/postgres/connection.ts'
import { openPostgres, type PostgresStore } from '#store/postgres/open-postgres-store.ts'
import { startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { countPostgres } from '../work-counts/count-postgres-statements.ts'
import { hasPostgres, newDatabase, sql, type TestDatabase } from '../support/start-postgres.ts'

const counts = countPostgres()
const clock = { nowMs: startMs }

describe.skipIf(!hasPostgres)('the rehearsal of batches', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await newDatabase()
  })
  afterEach(async () => {
    await database.drop()
  })

  const failures: unknown[] = []
  const open = (isRehearsed: boolean): Promise<PostgresStore> =>
    openPostgres({
      url: database.url,
      nowMs: () => clock.nowMs,
      onFatal: (error) => {
        throw error
      },
      rehearsal: isRehearsed ? { onFailed: (error) => failures.push(error) } : undefined,
    })

  /** Omits tables without rows. */
  const rowsOfTables = (): Promise<Record<string, number>> =>
    withClient({ url: database.url, access: 'read' }, async (client) => {
      const rowsOf: Record<string, number> = {}
      const { rows: tables } = await client.query<{ readonly name: string }>(
        `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
      )
      for (const { name } of tables) {
        // oxlint-disable-next-line no-await-in-loop -- one connection
        const { rows } = await client.query<{ readonly rows: bigint }>(
          `SELECT count(*) AS rows FROM "${name}"`,
        )
        if (rows[0]?.rows !== 0n) rowsOf[name] = Number(rows[0]?.rows)
      }
      return rowsOf
    })

  it('the rehearsal sends the SQL statements of batches, and leaves no row', async () => {
    const opened = async (isRehearsed: boolean) => {
      const before = counts.statements
      const store = await open(isRehearsed)
      const statements = counts.statements - before
      await store.close()
      return { statements, rows: await rowsOfTables() }
    }
    const plain = await opened(false)
    const rehearsed = await opened(true)
    expect(failures).toEqual([])
    // At least one batch, with its locks, reads and writes.
    expect(rehearsed.statements - plain.statements).toBeGreaterThanOrEqual(4)
    // Each process has one epoch with one lane.
    const { epochs = 0, lanes = 0 } = plain.rows
    expect(rehearsed.rows).toEqual({ ...plain.rows, epochs: 2 * epochs, lanes: 2 * lanes })
  })

  it('during a rehearsal, another process serves calls, and after the rehearsal, both processes serve calls', async () => {
    const other = await open(false)
    const world = new World(other, clock)
    await world.found()
    const person = await world.person(1_000_000n)
    const serve = async (store: PostgresStore): Promise<void> => {
      const request = world.request(person, { input: 10, output: 10 })
      expect(await store.ledger.reserve(request)).toMatchObject({ kind: 'reserved' })
      await store.ledger.settle(world.settlement(request, { input: 10, output: 5 }))
    }
    const progress = { isOpening: true }
    const opening = open(true).finally(() => (progress.isOpening = false))
    // oxlint-disable-next-line no-await-in-loop -- one call after the other
    while (progress.isOpening) await serve(other)
    const store = await opening
    await serve(store)
    expect(failures).toEqual([])
    await Promise.all([store.close(), other.close()])
  })

  it('rehearsals of two processes do not wait for each other', async () => {
    await (await open(false)).close()
    const progress = { isOpening: true }
    const opening = Promise.all([open(true), open(true)]).finally(() => (progress.isOpening = false))
    const waits = await withClient({ url: database.url, access: 'read' }, async (client) => {
      let found = 0n
      while (progress.isOpening) {
        // A statement that waits for another transaction's rows waits for the lock on that transaction's ID.
        // oxlint-disable-next-line no-await-in-loop -- one look after the other
        const { rows } = await client.query<{ readonly waits: bigint }>(
          `SELECT count(*) AS waits FROM pg_locks l JOIN pg_stat_activity a USING (pid)
           WHERE a.datname = current_database() AND l.locktype = 'transactionid' AND NOT l.granted`,
        )
        found += rows[0]?.waits ?? 0n
      }
      return found
    })
    for (const store of await opening) await store.close()
    expect(failures).toEqual([])
    expect(waits).toBe(0n)
  })

  it('if the rehearsal fails, the failure is reported, and the store serves calls', async () => {
    await (await open(false)).close()
    await sql(
      database.url,
      `CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$`,
    )
    await sql(
      database.url,
      `CREATE TRIGGER rejects BEFORE INSERT ON usage_days FOR EACH ROW EXECUTE FUNCTION reject()`,
    )
    const store = await open(true)
    expect(failures.splice(0)).toMatchObject([{ message: expect.stringContaining('not now') as string }])
    await sql(database.url, 'DROP TRIGGER rejects ON usage_days')
    const world = new World(store, clock)
    await world.found()
    const person = await world.person(1_000_000n)
    const request = world.request(person, { input: 10, output: 10 })
    expect(await world.reserve(request)).toMatchObject({ kind: 'reserved' })
    await store.close()
  })
})
