import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { connect, poolOf } from '#store/postgres/connection.ts'
import { migrationLock, migratePostgres } from '#store/postgres/migrate.ts'
import { migrationsFor } from '#store/migrations/list-and-load-migrations.ts'
import { openPostgres } from '#store/postgres/open-postgres-store.ts'
import { Months, monthOf, monthStartsAtMs } from '#store/postgres/monthly-partitions.ts'
import { hasPostgres, newDatabase, sql, type TestDatabase } from '../support/start-postgres.ts'

describe.skipIf(!hasPostgres)('a database of the server', () => {
  let database: TestDatabase
  const migrate = async (migrations = migrationsFor('postgres')): Promise<void> => {
    const client = await connect({ url: database.url, access: 'write' })
    try {
      await migratePostgres(client, migrations)
    } finally {
      await client.end()
    }
  }

  beforeEach(async () => {
    database = await newDatabase()
  })
  afterEach(() => {
    vi.useRealTimers()
    return database.drop()
  })

  test('several processes that start together migrate a database once', async () => {
    await Promise.all(Array.from({ length: 4 }, () => migrate()))
    await migrate()
    const { length } = migrationsFor('postgres')
    await sql(database.url, `SELECT 1 / (count(*) = ${length})::int FROM schema_versions`)
  })

  test('a server that starts waits for the migration of another process as long as necessary', async () => {
    await migrate()
    const other = await connect({ url: database.url, access: 'write', isPatient: true })
    await other.query('BEGIN')
    await other.query(`SELECT pg_advisory_xact_lock(${migrationLock.join(', ')})`)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const opening = openPostgres({
      url: database.url,
      nowMs: Date.now,
      onFatal: (error) => {
        throw error
      },
    })
    opening.catch(() => {})
    const waiting = `SELECT count(*) AS n FROM pg_locks JOIN pg_database d ON d.oid = database
      WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()`
    // oxlint-disable-next-line no-await-in-loop -- until the server waits
    while ((await other.query(waiting)).rows[0].n === 0n);
    vi.advanceTimersByTime(3_600_000)
    await other.query('COMMIT')
    const store = await opening
    vi.useRealTimers()
    await store.close()
    await other.end()
  })

  test('a database from a newer program is rejected', async () => {
    await migrate()
    await sql(database.url, `INSERT INTO schema_versions (version, name) VALUES (99, 'later')`)
    await expect(migrate()).rejects.toThrow('written by a newer Tollgate')
  })

  test('a database with tables of another program is rejected, and not changed', async () => {
    await sql(database.url, 'CREATE TABLE theirs (id INTEGER)')
    await expect(migrate()).rejects.toThrow('has tables of another program')
    await sql(database.url, 'DROP TABLE theirs')
    await migrate()
  })

  test('a database keeps no change of a failed migration', async () => {
    const all = migrationsFor('postgres')
    const version = all.length + 1
    const broken = { version, name: 'broken', sql: 'CREATE TABLE half (id INTEGER); SELECT 1 / 0' }
    await expect(migrate([...all, broken])).rejects.toThrow(`version ${version} (broken)`)
    await expect(sql(database.url, 'SELECT * FROM half')).rejects.toThrow('does not exist')
    await migrate()
  })

  test('monthly partitions are created in advance, once, by concurrent creators, and a row of any other month is rejected', async () => {
    await migrate()
    const pool = poolOf({ url: database.url, access: 'write' }, 4)
    const nowMs = Date.UTC(2026, 10, 30)
    await Promise.all(Array.from({ length: 4 }, () => new Months(pool).ahead(nowMs)))
    const { rows } = await pool.query(
      `SELECT tablename FROM pg_tables WHERE tablename LIKE 'ledger_20%' ORDER BY 1`,
    )
    expect(rows.map(({ tablename }) => tablename)).toEqual([
      'ledger_2026_11',
      'ledger_2026_12',
      'ledger_2027_01',
      'ledger_2027_02',
    ])
    await expect(
      pool.query(
        `INSERT INTO requests (application_id, call_id, mode, wire, streamed, status, http_status, at_ms, latency_ms, trace)
         VALUES ('app', '00000000000000000000000000', 'live', 'chat', 0, 'refused', 402, 0, 0, '{}')`,
      ),
    ).rejects.toThrow('no partition')
    await pool.end()
  })
})

test('for years, each monthly partition starts where the previous month ends', () => {
  for (const [ms, month] of [
    [0, 0],
    [Date.UTC(1970, 0, 31, 23, 59, 59, 999), 0],
    [Date.UTC(1970, 1, 1), 1],
    [Date.UTC(2026, 11, 31), 683],
    [Date.UTC(2027, 0, 1), 684],
  ] as const) {
    expect(monthOf(ms)).toBe(month)
    expect(monthStartsAtMs(month)).toBeLessThanOrEqual(ms)
    expect(monthStartsAtMs(month + 1)).toBeGreaterThan(ms)
  }
})
