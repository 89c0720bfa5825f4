/**
 * A cluster of Citus (an extension of PostgreSQL) on this machine: a coordinator and two nodes. Citus is no part of the
 * project. Without the extension, its tests are skipped.
 */
import { Client } from 'pg'
import { migratePostgres } from '#store/postgres/migrate.ts'
import { connect } from '#store/postgres/connection.ts'
import { distributedBy } from '#store/postgres/shard-layout.ts'
import { hasPostgres, type PostgresServer, runServer, sql, startPostgres } from './postgres.ts'
import { onEachNode, shardGroupsOf } from './shards.ts'

const database = 'tollgate'
const shards = 4
/** Numbers of the ledger come from a sequence on each node. A number belongs to one node, up to this many nodes. */
const nodesMax = 16

const settings = {
  shared_preload_libraries: 'citus',
  max_prepared_transactions: '400',
  wal_level: 'logical',
  'citus.node_conninfo': 'sslmode=prefer',
}

async function isAvailable(): Promise<boolean> {
  if (!hasPostgres) return false
  const server = await runServer()
  const available = `SELECT 1 FROM pg_available_extensions WHERE name = 'citus'`
  return (await rowsOf(server.url('postgres'), available)).length > 0
}

export const hasCitus = await isAvailable()
if (!hasCitus) console.warn('The extension citus is not installed on this PostgreSQL: its tests are skipped')

export interface Citus {
  /** The URL of the coordinator. */
  readonly url: string
  /** The URL of each node with shards. */
  readonly nodes: readonly string[]
  end(): Promise<void>
}

/** Starts a cluster with a migrated, empty and distributed database. */
export async function startCitus(): Promise<Citus> {
  const servers: PostgresServer[] = []
  for (let started = 0; started < 3; started++) {
    // oxlint-disable-next-line no-await-in-loop -- one start after the other
    const server = await startPostgres({ settings })
    servers.push(server)
    // oxlint-disable-next-line no-await-in-loop -- see above
    await sql(server.url('postgres'), `CREATE DATABASE ${database}`)
    // oxlint-disable-next-line no-await-in-loop -- see above
    await sql(server.url(database), 'CREATE EXTENSION citus_columnar', 'CREATE EXTENSION citus')
  }
  const [coordinator, ...nodes] = servers
  if (coordinator === undefined) throw new Error('there is no coordinator')
  const url = coordinator.url(database)
  await sql(
    url,
    `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
    ...nodes.map(({ port }) => `SELECT citus_add_node('127.0.0.1', ${port})`),
  )
  const session = await connect({ url, access: 'write', isPatient: true })
  await migratePostgres(session)
  await session.end()
  await distribute(
    url,
    nodes.map((node) => node.url(database)),
  )
  return {
    url,
    nodes: nodes.map((node) => node.url(database)),
    async end() {
      for (const server of servers) {
        // oxlint-disable-next-line no-await-in-loop -- one end after the other
        await server.end()
      }
    },
  }
}

/** Citus accepts no trigger, and no unique constraint without the distribution column. */
const constraints = [
  `DO $$
    DECLARE found RECORD;
    BEGIN
      FOR found IN SELECT tgrelid::regclass AS name, tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND c.relnamespace = 'public'::regnamespace
      LOOP EXECUTE format('DROP TRIGGER %I ON %s', found.tgname, found.name); END LOOP;
      FOR found IN SELECT conrelid::regclass AS name, conname FROM pg_constraint
        WHERE contype = 'f' AND confrelid IN ('end_users'::regclass, 'invoices'::regclass)
      LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.name, found.conname); END LOOP;
    END $$`,
  'ALTER TABLE lanes DROP CONSTRAINT lanes_pkey, ADD PRIMARY KEY (shard_key, epoch, lane)',
  'ALTER TABLE requests DROP CONSTRAINT requests_pkey, ADD PRIMARY KEY (shard_key, application_id, call_id)',
  'ALTER TABLE end_users DROP CONSTRAINT end_users_application_id_external_id_key',
  'CREATE INDEX end_users_external ON end_users (application_id, external_id)',
  'ALTER TABLE keys DROP CONSTRAINT keys_hash_key, DROP CONSTRAINT keys_pkey, ADD PRIMARY KEY (end_user_id, id)',
  'CREATE INDEX keys_id ON keys (id)',
  'CREATE INDEX keys_hash ON keys (hash)',
  `ALTER TABLE call_corrections DROP CONSTRAINT call_corrections_pkey,
    ADD PRIMARY KEY (end_user_id, application_id, call_id, number)`,
  'DROP INDEX call_corrections_late',
  `CREATE UNIQUE INDEX call_corrections_late ON call_corrections (end_user_id, application_id, call_id)
    WHERE kind = 'late_usage'`,
  'DELETE FROM shard_groups',
]

async function distribute(url: string, nodes: readonly string[]): Promise<void> {
  const { end_users: _, ...others } = distributedBy
  await sql(
    url,
    ...constraints,
    ...onEachNode.map((table) => `SELECT create_reference_table('${table}')`),
    `SELECT create_distributed_table('end_users', 'id', shard_count => ${shards})`,
    ...Object.entries(others).map(
      ([table, column]) =>
        `SELECT create_distributed_table('${table}', '${column}', colocate_with => 'end_users')`,
    ),
    'ALTER TABLE lanes ADD FOREIGN KEY (shard_key) REFERENCES shard_groups (shard_key)',
  )
  const ranges = await rowsOf(
    url,
    `SELECT shardminvalue::float8 AS "from", shardmaxvalue::float8 AS "to" FROM pg_dist_shard
     WHERE logicalrelid = 'end_users'::regclass`,
  )
  const groups = shardGroupsOf(ranges.map(({ from, to }) => ({ from: Number(from), to: Number(to) })))
  await sql(
    url,
    ...groups.map(({ from, key, to }) => `INSERT INTO shard_groups VALUES ('${key}', ${from}, ${to})`),
  )
  for (const [at, node] of nodes.entries()) {
    // oxlint-disable-next-line no-await-in-loop -- one node after the other
    await sql(
      node,
      `CREATE SEQUENCE ledger_sequence INCREMENT BY ${64 * nodesMax} START ${1 + 64 * (at + 1)}`,
    )
  }
}

/** Runs a query on a connection of its own. */
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
