/**
 * Opens, migrates and uses a store of the previous release. The previous release (schema version 6) wrote the rows in
 * `previous-release/` in three months of 2026. The rows contain plans with and without a price, sign-up credit that was
 * not granted yet, and on-demand usage in three months. They also contain a rotated key, an overdrawn wallet and a plan
 * in test mode. `seen` contains the responses of the previous release after the last row was written.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { migrationsFor } from '#store/migrations/list-and-load-migrations.ts'
import { poolOf } from '#store/postgres/connection.ts'
import { migratePostgres } from '#store/postgres/migrate.ts'
import { Months, monthOf } from '#store/postgres/monthly-partitions.ts'
import { connect as connectPostgres } from '#store/postgres/connection.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { migrateSqlite } from '#store/sqlite/migrate.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { apiOf, command, type LocalServer, startServer, verifies } from '../support/start-product.ts'
import { hasPostgres, newDatabase, type TestDatabase } from '../support/start-postgres.ts'
import { isLong } from '../support/reduced-suite.ts'

const versionBefore = 6
/** The rows were written until November 2026. */
const openedAtMs = Date.UTC(2026, 11, 3, 12)
const masterKey = Buffer.alloc(32, 1).toString('base64')
/** Summing up each hour of three months takes seconds on PostgreSQL. */
const engines = isLong && hasPostgres ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const)

type Row = Readonly<Record<string, string | number | null>>

interface Round {
  readonly seen: Readonly<Record<string, Seen>>
  readonly tables: Readonly<Record<string, readonly Row[]>>
}

interface Seen {
  readonly balance: { readonly balanceUnits: string }
  readonly invoices: number
  readonly entries: number
}

interface Entry {
  readonly kind: string
  readonly source: string
  readonly amountUnits: string
  readonly reason: string | null
}

interface Invoice {
  readonly endUserId: string
  readonly status: string
  readonly lines: readonly {
    readonly kind: string
    readonly amountMicros: string
    readonly periodStart: string
  }[]
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: openedAtMs }))
afterEach(() => void vi.useRealTimers())

describe.each(engines)('a store of the previous release on %s', (engine) => {
  test('a store of the previous release is migrated without faults, its entries have reasons, and each on-demand month has one invoice', async () => {
    const round = roundOf(engine)
    const { api, close } = await open(engine, round)
    for (const [who, before] of Object.entries(round.seen)) {
      // oxlint-disable-next-line no-await-in-loop -- one end user after the other
      const { balance } = await api('GET', `/v1/end-users/${who}`)
      // oxlint-disable-next-line no-await-in-loop -- as above
      const entries = await ledgerOf(api, who)
      const added = entries.slice(0, entries.length - before.entries)
      for (const entry of added) expect(entry, who).toMatchObject({ reason: expect.stringMatching(/./) })
      const toWallet = added.filter(({ source }) => source === 'wallet')
      const expected = BigInt(before.balance.balanceUnits) + sumOf(toWallet)
      expect(balance.balanceUnits, `balance of ${who}`).toBe(String(expected))
    }
    for (const who of ['ada', 'bob']) {
      // oxlint-disable-next-line no-await-in-loop -- one end user after the other
      const debits = (await ledgerOf(api, who)).filter(
        ({ kind, source }) => kind === 'usage_debit' && source.startsWith('on_demand/'),
      )
      // oxlint-disable-next-line no-await-in-loop -- as above
      const { data }: { data: readonly Invoice[] } = await api(
        'GET',
        `/v1/invoices?limit=200&endUserId=${who}`,
      )
      const lines = data.flatMap((invoice) => invoice.lines).filter(({ kind }) => kind === 'on_demand')
      expect(lines.map(({ periodStart }) => periodStart.slice(0, 7)).toSorted(), who).toEqual([
        '2026-09',
        '2026-10',
        '2026-11',
      ])
      expect(
        lines.reduce((sum, { amountMicros }) => sum + BigInt(amountMicros), 0n),
        who,
      ).toBe(-sumOf(debits))
    }
    // The sign-up credit belonged to a plan that the end user has left, and the previous release removed it.
    const { pools }: { pools: readonly { slug: string }[] } = await api(
      'GET',
      '/v1/subscription?endUserId=cleo',
    )
    expect(pools.map(({ slug }) => slug)).toEqual(['monthly'])
    await close()
  })
})

function sumOf(entries: readonly Entry[]): bigint {
  return entries.reduce((sum, { amountUnits }) => sum + BigInt(amountUnits), 0n)
}

async function ledgerOf(api: ReturnType<typeof apiOf>, who: string): Promise<readonly Entry[]> {
  return (await api('GET', `/v1/end-users/${who}/ledger?source=all&limit=200`)).data
}

function roundOf(engine: (typeof engines)[number]): Round {
  return JSON.parse(readFileSync(new URL(`previous-release/${engine}.json`, import.meta.url), 'utf8'))
}

async function open(engine: (typeof engines)[number], { tables }: Round) {
  const folder = newDataFolder('round')
  const database = engine === 'sqlite' ? null : await newDatabase()
  if (database === null) writeSqlite(folder, tables)
  else await writePostgres(database, tables)
  const server: LocalServer = await startServer({
    folder,
    // The test creates an API token after the server has migrated the store.
    token: 'none yet',
    environment: { TOLLGATE_MASTER_KEY: masterKey },
    ...(database && { databaseUrl: database.url }),
  })
  // Like an operator, run the command in a separate process. Its write waits until the server has finished the work
  // after its start.
  const { stdout } = await promisify(execFile)(command, ['token', '--label', 'upgraded'], {
    env: {
      ...process.env,
      TOLLGATE_DATA: folder,
      TOLLGATE_MASTER_KEY: masterKey,
      ...(database && { DATABASE_URL: database.url }),
    },
  })
  const token = stdout.trim()
  return {
    api: apiOf({ ...server, token }, 'acme'),
    close: async () => {
      await server.close()
      await verifies(folder, database?.url)
      await database?.drop()
    },
  }
}

function writeSqlite(folder: string, tables: Round['tables']): void {
  const file = new DatabaseSync(sqlitePath(folder))
  migrateSqlite(file, migrationsFor('sqlite').slice(0, versionBefore))
  file.exec('PRAGMA foreign_keys = OFF; PRAGMA journal_mode = WAL; BEGIN')
  for (const [table, rows] of Object.entries(tables)) {
    for (const row of rows) {
      const columns = Object.keys(row)
      file
        .prepare(
          `INSERT OR REPLACE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
        )
        .run(...Object.values(row))
    }
  }
  file.exec('COMMIT')
  file.close()
}

async function writePostgres({ url }: TestDatabase, tables: Round['tables']): Promise<void> {
  const session = await connectPostgres({ url, access: 'write' })
  await migratePostgres(session, migrationsFor('postgres').slice(0, versionBefore))
  await session.end()
  const pool = poolOf({ url, access: 'write' }, 1)
  await new Months(pool).make([8, 9, 10, 11].map((month) => monthOf(Date.UTC(2026, month))))
  await pool.end()
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query("SET session_replication_role = 'replica'")
  for (const [table, rows] of Object.entries(tables)) {
    for (const row of rows) {
      const columns = Object.keys(row)
      const isSequence = table.startsWith('sequence ')
      // oxlint-disable-next-line no-await-in-loop -- one connection
      await client.query(
        isSequence
          ? `SELECT setval('${table.slice('sequence '.length)}', $1)`
          : `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')}) ON CONFLICT DO NOTHING`,
        Object.values(row),
      )
    }
  }
  await client.end()
}
