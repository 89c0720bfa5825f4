/**
 * Starts a cluster of Citus (an extension of PostgreSQL) on this machine: a coordinator and nodes, by default two.
 * Citus is not part of the project. Without Citus, its tests are skipped.
 */
import { Client } from 'pg'
import { connect } from '#store/postgres/connection.ts'
import { distributedBy } from '#store/postgres/sql-for-sharded-tables.ts'
import { migratePostgres } from '#store/postgres/migrate.ts'
import { applyScale } from '#store/postgres/plan-or-apply-distribution.ts'
import type { SentStatement } from './record-ledger-statements.ts'
import { hasPostgres, type PostgresServer, runServer, sql, startPostgres } from './start-postgres.ts'
import { isLong } from './reduced-suite.ts'

const database = 'tollgate'

const settingsOfCitus = {
  shared_preload_libraries: 'citus',
  max_prepared_transactions: '400',
  wal_level: 'logical',
  'citus.node_conninfo': 'sslmode=prefer',
}

const extensions = ['CREATE EXTENSION citus_columnar', 'CREATE EXTENSION citus']

async function isAvailable(): Promise<boolean> {
  // The check starts a server, so it runs only in the long suite, which uses a cluster.
  if (!hasPostgres || !isLong) return false
  const server = await runServer()
  const available = `SELECT 1 FROM pg_available_extensions WHERE name = 'citus'`
  return (await rowsOf(server.url('postgres'), available)).length > 0
}

export const hasCitus = await isAvailable()
if (isLong && !hasCitus)
  console.warn('The extension citus is not installed on this PostgreSQL: its tests are skipped')

export interface Citus {
  /** For the servers' database role, which cannot change records. */
  readonly url: string
  /** For the database role that owns the tables. */
  readonly ownerUrl: string
  readonly coordinator: PostgresServer
  readonly nodes: readonly PostgresServer[]
  nodeOf(endUserId: string): Promise<number>
  addNode(): Promise<void>
  /** Distributes the database with `tollgate scale apply`. */
  distribute(told?: (step: string) => void): Promise<void>
  end(): Promise<void>
}

export const distribution = { role: 'tollgate_server', shards: 4 }

interface ClusterOptions {
  readonly nodes?: number
  readonly isDurable?: boolean
  /** Added to the settings that Citus needs. */
  readonly settings?: Readonly<Record<string, string>>
}

export async function startCitus(options: ClusterOptions = {}): Promise<Citus> {
  const citus = await startPlainCitus(async () => {}, options)
  await citus.distribute()
  return citus
}

/** @param fill receives the URL of the migrated database before the database is distributed */
export async function startPlainCitus(
  fill: (url: string) => Promise<void> = async () => {},
  { isDurable = false, nodes: count = 2, settings = {} }: ClusterOptions = {},
): Promise<Citus> {
  const servers: PostgresServer[] = []
  const startServer = async (): Promise<PostgresServer> => {
    const server = await startPostgres({ isDurable, settings: { ...settingsOfCitus, ...settings } })
    servers.push(server)
    await sql(server.url('postgres'), `CREATE DATABASE ${database}`)
    return server
  }
  // oxlint-disable-next-line no-await-in-loop -- one start after the other
  for (let started = 0; started <= count; started++) await startServer()
  const [coordinator, ...nodes] = servers
  if (coordinator === undefined) throw new Error('there is no coordinator')
  const ownerUrl = coordinator.url(database)
  const session = await connect({ url: ownerUrl, access: 'write', isPatient: true })
  await migratePostgres(session)
  await session.end()
  await fill(ownerUrl)
  for (const server of servers) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await sql(server.url(database), ...extensions)
  }
  await sql(
    ownerUrl,
    `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
    ...nodes.map(({ port }) => `SELECT citus_add_node('127.0.0.1', ${port})`),
    `CREATE ROLE ${distribution.role} LOGIN`,
  )
  const url = new URL(ownerUrl)
  url.username = distribution.role
  return {
    url: url.href,
    ownerUrl,
    coordinator,
    nodes,
    async nodeOf(endUserId) {
      const [place] = await rowsOf(
        ownerUrl,
        `SELECT nodeport FROM citus_shards WHERE shardid = get_shard_id_for_distribution_column('end_users', $1::text)`,
        [endUserId],
      )
      return nodes.findIndex(({ port }) => port === place?.nodeport)
    },
    async addNode() {
      const server = await startServer()
      await sql(server.url(database), ...extensions)
      await sql(ownerUrl, `SELECT citus_add_node('127.0.0.1', ${server.port})`)
    },
    distribute: (told = () => {}) => applyScale({ ...distribution, url: ownerUrl }, told),
    async end() {
      for (const server of servers) {
        // oxlint-disable-next-line no-await-in-loop -- one end after the other
        await server.end()
      }
    },
  }
}

/** The returned function restores the current rows, so that all tests can use one cluster. */
export async function emptied({ ownerUrl }: Citus): Promise<() => Promise<void>> {
  const kept: string[] = []
  const tables = await tablesAfterReferences(ownerUrl)
  for (const table of tables) {
    const text = `SELECT quote_literal(json_agg(t)::text) AS rows FROM ${table} t`
    // oxlint-disable-next-line no-await-in-loop -- one connection after the other
    const [{ rows } = { rows: null }] = await rowsOf(ownerUrl, text)
    if (typeof rows === 'string')
      kept.push(
        `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${table}, ${rows})`,
      )
  }
  const statements = [
    // The transaction changes both copied and distributed tables.
    `SET citus.multi_shard_modify_mode TO 'sequential'`,
    'BEGIN',
    ...tables.toReversed().map((table) => `DELETE FROM ${table}`),
    ...kept,
    'COMMIT',
  ]
  return () => sql(ownerUrl, ...statements)
}

/** Each table comes after the tables that it references. */
async function tablesAfterReferences(url: string): Promise<string[]> {
  const rows = await rowsOf(
    url,
    `SELECT c.relname AS name, ARRAY(SELECT k.confrelid::regclass::text FROM pg_constraint k
       WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid) AS targets
     FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname NOT IN ('schema_versions', 'shard_groups')`,
  )
  const ordered: string[] = []
  const waiting = new Map(rows.map(({ name, targets }) => [String(name), targets as string[]]))
  while (waiting.size > 0) {
    const ready = [...waiting].filter(([, targets]) => !targets.some((target) => waiting.has(target)))
    if (ready.length === 0) throw new Error(`${[...waiting.keys()].join(', ')} refer to each other`)
    for (const [name] of ready) {
      ordered.push(name)
      waiting.delete(name)
    }
  }
  return ordered
}

/** Other tables have a copy on each node, so statements that read only those run on the connection's own node. */
export function isDistributed({ text }: SentStatement): boolean {
  return Object.keys(distributedBy).some((table) =>
    new RegExp(`\\b(?:FROM|INTO|JOIN|UPDATE) ${table}\\b`).test(text),
  )
}

/** Returns the number of tasks in which Citus runs a statement, the node of the first task, and the plan. */
export async function tasksOf(
  client: Client,
  { text, values }: SentStatement,
): Promise<{ count: number; node: string; plan: string }> {
  const { rows } = await client.query<Record<string, string>>(`EXPLAIN (COSTS OFF) ${text}`, [...values])
  const plan = rows.map((row) => Object.values(row)[0]).join('\n')
  const [, count] = /Task Count: (\d+)/.exec(plan) ?? []
  const [, node] = /Node: host=\S+ port=(\d+)/.exec(plan) ?? []
  return { count: Number(count), node: node ?? plan, plan }
}

export async function rowsOf(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text, [...values])).rows
  } finally {
    await client.end()
  }
}
