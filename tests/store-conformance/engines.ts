import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { EngineStore } from '#store/sql/engine-store-interface.ts'
import {
  openPostgres,
  type PostgresOptions,
  type PostgresStore,
} from '#store/postgres/open-postgres-store.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { openSqlite, type SqliteOptions, sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { migrateSqlite } from '#store/sqlite/migrate.ts'
import { SqliteSnapshot } from '#store/sqlite/snapshot-of-start.ts'
import { SqliteReader } from '#store/sqlite/reading-connection.ts'
import type { OpenReaders } from '#store/sqlite/reader-threads.ts'
import type { Verification } from '#store/ledger/verify/store-snapshot-interface.ts'
import { verifyPostgres } from '#store/postgres/verify.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { hasPostgres, sql, type TestDatabase } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'
import { evenShardGroups } from '../support/equal-shard-groups.ts'
import { isLong } from '../support/reduced-suite.ts'

/** A store for one test, in its own folder or database. */
export interface Opened {
  readonly store: EngineStore
  close(): Promise<void>
  /** @throws if anything in the store does not add up */
  verify(): Promise<void>
  /** Runs `verify` before it closes the store. @throws if anything in the store does not add up */
  closeSound(): Promise<void>
}

export interface FaultyOptions extends Pick<SqliteOptions, 'nowMs' | 'queue'> {
  readonly faults: (point: string) => 'busy' | 'full' | 'io' | null
  readonly onFatal?: (error: Error) => void
}

export interface Engine {
  readonly name: string
  readonly open: (nowMs: () => number) => Promise<Opened>
}

export interface FaultyEngine {
  readonly name: string
  readonly openFaulty: (options: FaultyOptions) => Promise<Opened>
}

/** The writer moves to the other thread after every commit. */
export const moving = {
  writer: 'auto',
  choice: { committed: (_durationMs, _atMs, place) => (place === 'inline' ? 'thread' : 'inline') },
} as const satisfies Pick<SqliteOptions, 'writer' | 'choice'>

/**
 * A writer on a separate thread runs the same code as a writer on the main thread. Only `npm run test:long` covers
 * both, because starting the thread takes most of a test's time. Tests of faults, histories, moves and races use
 * writers on other threads in `npm test` too. On PostgreSQL, `npm test` runs every third test
 * (tests/support/sampled-postgres-tests.ts).
 */
export const engines: Engine[] = isLong
  ? [
      { name: 'SQLite, writer on a thread', open: (nowMs) => openTemporary({ writer: 'thread', nowMs }) },
      { name: 'SQLite, writer that moves', open: (nowMs) => openTemporary({ ...moving, nowMs }) },
      ...(hasPostgres
        ? [
            { name: 'PostgreSQL', open: (nowMs: () => number) => openOnPostgres({ nowMs }) },
            {
              name: 'PostgreSQL, in shard groups',
              open: (nowMs: () => number) => openInShardGroups({ nowMs }),
            },
          ]
        : []),
    ]
  : [
      { name: 'SQLite, writer inline', open: (nowMs) => openTemporary({ writer: 'inline', nowMs }) },
      ...(hasPostgres
        ? [{ name: 'PostgreSQL', open: (nowMs: () => number) => openOnPostgres({ nowMs }) }]
        : []),
    ]

/**
 * The database has one node, but the ledger uses the statements and lanes of a distributed database with four shards.
 */
export async function openInShardGroups(
  options: OnPostgres,
): Promise<Opened & { readonly store: PostgresStore; readonly url: string }> {
  const database = await migratedDatabase()
  const groups = evenShardGroups(4).map(({ from, key, to }) => `('${key}', ${from}, ${to})`)
  await sql(
    database.url,
    'DELETE FROM shard_groups',
    `INSERT INTO shard_groups (shard_key, hash_from, hash_to) VALUES ${groups.join(', ')}`,
  )
  const opened = await openOnPostgres({ lanes: 1, ...options, url: database.url })
  const close = async (): Promise<void> => {
    await opened.close()
    await database.drop()
  }
  return {
    ...opened,
    close,
    async closeSound() {
      await opened.closeSound()
      await database.drop()
    },
  }
}

export const faultyEngines: FaultyEngine[] = [
  { name: 'SQLite', openFaulty: (options) => openTemporary({ writer: 'inline', ...options }) },
  {
    name: 'SQLite, writer that moves',
    openFaulty: (options) => openTemporary({ ...moving, ...options }),
  },
  ...(hasPostgres
    ? [{ name: 'PostgreSQL', openFaulty: (options: FaultyOptions) => openOnPostgres(options) }]
    : []),
]

let emptyDatabase: () => Promise<TestDatabase> = migratedDatabase
let onlyName: string | null = null

/** Applies to test files that are imported later (tests/long/citus-conformance.test.ts). */
export function useDatabases(name: string, newDatabase: () => Promise<TestDatabase>): void {
  emptyDatabase = newDatabase
  onlyName = name
  engines.splice(0, engines.length, { name, open: (nowMs) => openOnPostgres({ nowMs }) })
  faultyEngines.splice(0, faultyEngines.length, { name, openFaulty: (options) => openOnPostgres(options) })
}

/** Returns only `PostgreSQL` if the test runs only on certain databases. */
export function covered<Tested extends { readonly name: string }>(all: readonly Tested[]): readonly Tested[] {
  if (onlyName === null) return all
  const name = onlyName
  return all.filter((engine) => engine.name === 'PostgreSQL').map((engine) => ({ ...engine, name }))
}

/** @throws if a check has found a difference */
export function assertSound(found: readonly Verification[]): void {
  assert.deepEqual(
    found.filter(({ difference }) => difference !== null),
    [],
  )
}

const throwOn = (error: Error): void => {
  throw error
}

let migratedFile: Buffer | null = null

function newMigratedFile(): Buffer {
  const folder = newDataFolder('migrated')
  const path = sqlitePath(folder)
  const connection = openConnection(path, 'write')
  migrateSqlite(connection)
  connection.close()
  const bytes = readFileSync(path)
  rmSync(folder, { recursive: true })
  return bytes
}

type Options = Omit<SqliteOptions, 'folder' | 'onFatal'> & Partial<Pick<SqliteOptions, 'folder' | 'onFatal'>>

/** The migration took half of the time to open a store, so the file is written once for all tests. */
export function writeMigratedFile(path: string): void {
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, (migratedFile ??= newMigratedFile()))
}

/** Starting a thread takes most of the time of a short test. */
export const inlineReaders: OpenReaders = async ({ path }) => {
  const reader = new SqliteReader(openConnection(path, 'read'))
  return {
    lookUps: reader,
    reports: reader,
    openSnapshot: async () => new SqliteSnapshot(openConnection(path, 'read')),
    close: async () => reader.close(),
  }
}

export async function openTemporary(options: Options): Promise<Opened & { readonly folder: string }> {
  const folder = options.folder ?? newDataFolder('store')
  const path = sqlitePath(folder)
  writeMigratedFile(path)
  const openReaders = options.writer === 'inline' ? inlineReaders : undefined
  const store = await openSqlite({ onFatal: throwOn, openReaders, ...options, folder })
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await store.close()
    isOpen = false
    rmSync(folder, { recursive: true, force: true })
  }
  return {
    folder,
    store,
    close,
    verify: async () => assertSound(await verifySqlite(sqlitePath(folder))),
    async closeSound() {
      const found = await verifySqlite(sqlitePath(folder))
      await close()
      assertSound(found)
    },
  }
}

type OnPostgres = Omit<PostgresOptions, 'url' | 'onFatal'> & Partial<Pick<PostgresOptions, 'url' | 'onFatal'>>

/**
 * @param options if `url` is set, another process opens the database of an open store. The database is dropped when the
 *   first store is closed
 */
export async function openOnPostgres(
  options: OnPostgres,
): Promise<Opened & { readonly store: PostgresStore; readonly url: string }> {
  const database = options.url === undefined ? await emptyDatabase() : null
  const url = options.url ?? database?.url ?? ''
  const store = await openPostgres({ onFatal: throwOn, ...options, url })
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await store.close()
    isOpen = false
    await database?.drop()
  }
  return {
    url,
    store,
    close,
    verify: async () => assertSound(await verifyPostgres(url)),
    async closeSound() {
      const found = await verifyPostgres(url)
      await close()
      assertSound(found)
    },
  }
}
