/**
 * Provides prepared PostgreSQL databases that tests use again. In a short test, copying and dropping a database would
 * take most of the CPU time. Instead, the database of a test gets its original rows back, and a later test of the run
 * uses the database again.
 *
 *     const { url, drop } = await migratedDatabase()
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { migrationsFor } from '#store/migrations/list-and-load-migrations.ts'
import { connect } from '#store/postgres/connection.ts'
import { migratePostgres } from '#store/postgres/migrate.ts'
import { lockOf } from '../../tools/web/build.ts'
import { runServer, sql, type RunServer, type TestDatabase } from './start-postgres.ts'
import type { TestedEngine } from './reduced-suite.ts'

interface Prepared {
  /** The database that is copied if no prepared database is free. */
  readonly template: string
  /** Excludes partitions, because stores create partitions as needed. */
  readonly schema: string
  readonly restore: string
}

/** Larger databases are not used again. The restore empties each partition, but deleted rows still occupy space. */
const partitionsMax = 60
const bytesMax = 64 * 2 ** 20

let databases = 0

/** The state in which a server finds the database at its first start. */
export function migratedDatabase(): Promise<TestDatabase> {
  return reusedDatabase('migrated', async (url) => {
    const client = await connect({ url, access: 'write' })
    await migratePostgres(client)
    await client.end()
  })
}

/** Null for SQLite, because a server creates its own file. */
export async function databaseOf(engine: TestedEngine): Promise<TestDatabase | null> {
  return engine === 'PostgreSQL' ? migratedDatabase() : null
}

/**
 * A test must close its sessions before it calls `drop`. If sessions are still open, `drop` ends them.
 *
 * @param state names the prepared state in all test files of the run
 */
export async function reusedDatabase(
  state: string,
  prepare: (url: string) => Promise<void>,
): Promise<TestDatabase> {
  const server = await runServer()
  // A test may add its own migration, so the name contains the number of migrations
  // (new-figure-reaches-all-outputs.test.ts).
  const name = `${state}_${migrationsFor('postgres').length}`
  const free = join(server.folder, name)
  const prepared = await preparedOnce(server, free, name, prepare)
  const database = taken(free) ?? (await copyOf(server, prepared.template))
  const url = server.url(database)
  const release = async (): Promise<void> => {
    if (await isRestored(url, prepared)) writeFileSync(join(free, database), '')
    else await sql(server.url('postgres'), `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
  }
  let released: Promise<void> | null = null
  // A second release would take the database away from the test that currently uses it.
  return { url, drop: () => (released ??= release()) }
}

async function preparedOnce(
  server: RunServer,
  free: string,
  name: string,
  prepare: (url: string) => Promise<void>,
): Promise<Prepared> {
  const known = `${free}.json`
  const unlock = await lockOf(free)
  try {
    if (!existsSync(known)) {
      const template = `template_${name}`
      await sql(
        server.url('postgres'),
        `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`,
        `CREATE DATABASE ${template}`,
      )
      await prepare(server.url(template))
      mkdirSync(free, { recursive: true })
      writeFileSync(known, JSON.stringify({ template, ...(await stateOf(server.url(template))) }))
    }
  } finally {
    unlock()
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was written above
  return JSON.parse(readFileSync(known, 'utf8')) as Prepared
}

async function copyOf(server: RunServer, template: string): Promise<string> {
  const name = `r${process.pid}_${++databases}`
  await sql(server.url('postgres'), `CREATE DATABASE ${name} TEMPLATE ${template}`)
  return name
}

/** Only one process can delete the file, and that process takes the database. */
function taken(free: string): string | null {
  for (const name of readdirSync(free)) {
    try {
      unlinkSync(join(free, name))
      return name
    } catch {
      // Another process has already taken the database.
    }
  }
  return null
}

const isOwnTable = `c.relnamespace = 'public'::regnamespace AND NOT c.relispartition`

const schemaQuery = `
  SELECT md5(string_agg(line, ';' ORDER BY line)) AS schema FROM (
    SELECT concat('class ', c.oid, c.relname, c.relkind) AS line FROM pg_class c WHERE ${isOwnTable}
    UNION ALL SELECT concat('column ', a.attrelid, a.attname, a.atttypid, a.attnotnull, a.atthasdef)
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND a.attnum > 0 WHERE ${isOwnTable}
    UNION ALL SELECT concat('constraint ', n.oid, n.convalidated)
      FROM pg_constraint n JOIN pg_class c ON c.oid = n.conrelid WHERE ${isOwnTable} AND n.conparentid = 0
    UNION ALL SELECT concat('trigger ', t.oid, t.tgenabled)
      FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE ${isOwnTable} AND NOT t.tgisinternal AND t.tgparentid = 0
    UNION ALL SELECT concat('disabled ', t.oid) FROM pg_trigger t WHERE t.tgenabled <> 'O'
    UNION ALL SELECT concat('function ', p.oid, p.prosrc) FROM pg_proc p
      WHERE p.pronamespace = 'public'::regnamespace
  ) lines`

async function stateOf(url: string): Promise<Omit<Prepared, 'template'>> {
  return withClient(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT quote_ident(c.relname) AS name FROM pg_class c WHERE ${isOwnTable} AND c.relkind IN ('r', 'p')`,
    )
    const statements = [`SET session_replication_role = replica`]
    for (const { name } of tables) {
      // oxlint-disable-next-line no-await-in-loop -- one connection
      const { rows } = await client.query<{ rows: string | null }>(
        `SELECT quote_literal(json_agg(t)::text) AS rows FROM ${name} t`,
      )
      statements.push(`DELETE FROM ${name}`)
      const kept = rows[0]?.rows ?? null
      if (kept !== null) {
        statements.push(`INSERT INTO ${name} OVERRIDING SYSTEM VALUE
          SELECT * FROM json_populate_recordset(NULL::${name}, ${kept})`)
      }
    }
    const { rows: sequences } = await client.query<{ name: string }>(
      `SELECT quote_ident(c.relname) AS name FROM pg_class c WHERE ${isOwnTable} AND c.relkind = 'S'`,
    )
    for (const { name } of sequences) {
      // oxlint-disable-next-line no-await-in-loop -- one connection
      const { rows } = await client.query<{ last_value: string; is_called: boolean }>(`SELECT * FROM ${name}`)
      statements.push(`SELECT setval('${name}', ${rows[0]?.last_value}, ${rows[0]?.is_called})`)
    }
    const { rows } = await client.query<{ schema: string }>(schemaQuery)
    assert(rows[0])
    return { schema: rows[0].schema, restore: statements.join(';\n') }
  })
}

/** Restores the prepared rows. Returns false if the schema has changed, so that the database cannot be used again. */
async function isRestored(url: string, { restore, schema }: Prepared): Promise<boolean> {
  return withClient(url, async (client) => {
    // Waits until the other sessions have ended.
    await client.query(`SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`)
    const { rows } = await client.query<{ schema: string; partitions: number; bytes: number }>(
      `SELECT (${schemaQuery}) AS schema, pg_database_size(current_database())::float8 AS bytes,
        (SELECT count(*)::int FROM pg_class WHERE relispartition AND relkind = 'r') AS partitions`,
    )
    const [now] = rows
    if (now?.schema !== schema || now.partitions > partitionsMax || now.bytes > bytesMax) return false
    await client.query(restore)
    return true
  })
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
