/**
 * The steps that distribute a database among the nodes of a Citus cluster (docs/guides/scale.md). Each step is one
 * transaction, and the database's catalogs show whether it is done. The plan contains only steps that are not done, so
 * another run continues an interrupted run.
 *
 * The first step removes the rows of `shard_groups`, and a step after the last change of layout adds the new rows.
 * Without these rows, no server starts (shard-groups.ts).
 */
import { rowsOf, type Session } from './citus-cluster.ts'
import { nodesBehind, renumberNodes } from './entry-numbers-of-nodes.ts'
import { partitionFunction, partitionFunctionSql } from './monthly-partitions.ts'
import { type ShardGroup, shardGroupsOf } from './shard-groups.ts'
import { distributedBy, onEachNode } from './sql-for-sharded-tables.ts'
import { holdFunction, holdFunctionSql } from './shard-tables.ts'

export interface Step {
  /** A sentence without a period, such as "Copy quotes to each node". */
  readonly text: string
  /** Called in a transaction of its own. */
  run(session: Session): Promise<void>
}

/**
 * Replaces unique keys without the distribution column, which Citus does not support. Where no unique key remains, the
 * lock of row transactions (database.ts) prevents duplicate rows.
 */
const newKeys: Readonly<Record<string, readonly string[]>> = {
  end_users: [
    'ALTER TABLE end_users DROP CONSTRAINT end_users_application_id_external_id_key',
    'CREATE INDEX end_users_external ON end_users (application_id, external_id)',
  ],
  keys: [
    `ALTER TABLE keys DROP CONSTRAINT keys_hash_key, DROP CONSTRAINT keys_pkey,
      ADD PRIMARY KEY (end_user_id, id)`,
    'CREATE INDEX keys_id ON keys (id)',
    'CREATE INDEX keys_hash ON keys (hash)',
  ],
  call_corrections: [
    `ALTER TABLE call_corrections DROP CONSTRAINT call_corrections_pkey,
      ADD PRIMARY KEY (end_user_id, application_id, call_id, number)`,
    'DROP INDEX call_corrections_late',
    `CREATE UNIQUE INDEX call_corrections_late ON call_corrections (end_user_id, application_id, call_id)
      WHERE kind = 'late_usage'`,
  ],
  lanes: ['ALTER TABLE lanes DROP CONSTRAINT lanes_pkey, ADD PRIMARY KEY (shard_key, epoch, lane)'],
  requests: [
    `ALTER TABLE requests DROP CONSTRAINT requests_pkey,
      ADD PRIMARY KEY (shard_key, application_id, call_id)`,
  ],
}

/** A foreign key between distributed tables can only be added when both tables are distributed. */
const foreignKeys: Readonly<Record<string, string>> = {
  keys: 'end_users (id)',
  accounts: 'end_users (id)',
  rate_uses: 'end_users (id)',
  line_rate_uses: 'end_users (id)',
  lanes: 'shard_groups (shard_key)',
}

/** @param shards the number of shards; ignored if end users are distributed already */
export async function layoutSteps(session: Session, shards: number): Promise<Step[]> {
  const distributed = await tablesOf(session)
  if (!distributed.has('end_users')) await assertTeamsFit(session, shards)
  const steps = [
    ...(await guardSteps(session, distributed)),
    ...(await keySteps(session)),
    ...tableSteps(distributed, shards),
    ...(await foreignKeySteps(session)),
    ...(await functionSteps(session)),
    ...(await numberSteps(session, distributed)),
  ]
  const isOpen = (await rowsOf(session, 'SELECT FROM shard_groups LIMIT 1')).length > 0
  if (steps.length === 0 && isOpen) return []
  return [...(isOpen ? [closing] : []), ...steps, opening]
}

/**
 * A payer pays in the members' transactions, so a payer and all members must be on one shard. Former members are
 * included, because their requests can be refunded. Citus divides the hashes evenly among the shards.
 * @throws Error
 */
async function assertTeamsFit(session: Session, shards: number): Promise<void> {
  const shardOf = (id: string): string =>
    `least((hashtext(${id})::int8 + 2147483648) / (4294967296 / $1::int8), $1::int8 - 1)`
  const [apart] = await rowsOf<{ end_users: string }>(
    session,
    `SELECT count(DISTINCT m.id)::text AS end_users FROM (
       SELECT id, payer_id FROM end_users WHERE payer_id IS NOT NULL
       UNION ALL SELECT end_user_id, coalesce(payer_id, substr(id, 6, length(id) - 13)) FROM sources
         WHERE kind = 'team'
     ) m WHERE ${shardOf('m.id')} <> ${shardOf('m.payer_id')}`,
    [shards],
  )
  if (apart === undefined || apart.end_users === '0') return
  throw new Error(
    `${apart.end_users} end users are or were in teams whose payer would be on another shard. A database with these teams cannot be distributed. Create teams after tollgate scale apply`,
  )
}

/**
 * A process that was paused and continues after this step finds no rows of its lanes (ledger connections). The process
 * then exits like a process that was declared dead.
 */
const closing = stepOf('Prevent servers from starting until all steps are done', [
  'DELETE FROM lanes',
  'DELETE FROM shard_groups',
])

const opening: Step = {
  text: 'Store the groups of end users by shard, and let servers start',
  async run(session) {
    for (const { from, key, to } of await groupsOf(session)) {
      // oxlint-disable-next-line no-await-in-loop -- one connection
      await rowsOf(session, 'INSERT INTO shard_groups VALUES ($1, $2, $3)', [key, from, to])
    }
  },
}

function stepOf(text: string, statements: readonly string[]): Step {
  return {
    text,
    async run(session) {
      // oxlint-disable-next-line no-await-in-loop -- one connection
      for (const statement of statements) await rowsOf(session, statement)
    },
  }
}

async function groupsOf(session: Session): Promise<ShardGroup[]> {
  const rows = await rowsOf<{ from: bigint; to: bigint }>(
    session,
    `SELECT shardminvalue::int8 AS "from", shardmaxvalue::int8 AS "to" FROM pg_dist_shard
     WHERE logicalrelid = 'end_users'::regclass`,
  )
  return shardGroupsOf(rows.map(({ from, to }) => ({ from: Number(from), to: Number(to) })))
}

/** Includes tables that are copied to each node. */
async function tablesOf(session: Session): Promise<ReadonlySet<string>> {
  const rows = await rowsOf<{ name: string }>(
    session,
    `SELECT table_name::text AS name FROM citus_tables WHERE citus_table_type IN ('distributed', 'reference')`,
  )
  return new Set(rows.map(({ name }) => name))
}

/**
 * Citus accepts no triggers on its tables, and a table that is not distributed must not refer to a distributed table.
 */
async function guardSteps(session: Session, distributed: ReadonlySet<string>): Promise<Step[]> {
  const tables = [...onEachNode, ...Object.keys(distributedBy)].filter((table) => !distributed.has(table))
  const found = await rowsOf<{ statement: string; kind: string }>(
    session,
    `SELECT format('DROP TRIGGER %I ON %I', t.tgname, c.relname) AS statement, 'trigger' AS kind
     FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE c.oid = ANY($1::text[]::regclass[]) AND NOT t.tgisinternal
     UNION ALL
     SELECT format('ALTER TABLE %I DROP CONSTRAINT %I', c.relname, k.conname), 'foreign key'
     FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
     WHERE k.contype = 'f' AND k.conparentid = 0 AND (k.confrelid = 'end_users'::regclass AND 'end_users' = ANY($1)
       OR k.conrelid = ANY($1::text[]::regclass[]) AND k.confrelid = 'invoices'::regclass)
     ORDER BY 1`,
    [tables],
  )
  if (found.length === 0) return []
  const count = (kind: string): number => found.filter((one) => one.kind === kind).length
  return [
    stepOf(
      `Drop ${count('trigger')} triggers and ${count('foreign key')} foreign keys that Citus does not support`,
      found.map(({ statement }) => statement),
    ),
  ]
}

async function keySteps(session: Session): Promise<Step[]> {
  const rows = await rowsOf<{ name: string }>(
    session,
    `SELECT DISTINCT w.name FROM unnest($1::text[], $2::text[]) AS w(name, by)
     JOIN pg_index i ON i.indrelid = w.name::regclass AND i.indisunique
     JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attname = w.by AND NOT a.attnum = ANY(i.indkey)
     ORDER BY 1`,
    [Object.keys(newKeys), Object.keys(newKeys).map((table) => distributedBy[table])],
  )
  return rows.map(({ name }) =>
    stepOf(`Add ${distributedBy[name]} to the unique keys of ${name}`, newKeys[name] ?? []),
  )
}

function tableSteps(distributed: ReadonlySet<string>, shards: number): Step[] {
  const copied = onEachNode.filter((table) => !distributed.has(table))
  const divided = Object.entries(distributedBy).filter(([table]) => !distributed.has(table))
  return [
    ...copied.map((table) =>
      stepOf(`Copy ${table} to each node`, [
        `SELECT create_reference_table('${table}')`,
        removeLocalRows(table),
      ]),
    ),
    ...divided.map(([table, column]): Step => {
      const into = table === 'end_users' ? `shard_count => ${shards}` : `colocate_with => 'end_users'`
      const dividing = stepOf(
        `Divide ${table} by ${column}${table === 'end_users' ? ` into ${shards} shards` : ''}`,
        [`SELECT create_distributed_table('${table}', '${column}', ${into})`, removeLocalRows(table)],
      )
      return table === 'requests'
        ? { ...dividing, run: (session) => divideRequests(session, dividing) }
        : dividing
    }),
  ]
}

/** After Citus has distributed a table, the old rows remain on the coordinator, where no query sees them. */
function removeLocalRows(table: string): string {
  return `SELECT truncate_local_data_after_distributing_table('${table}')`
}

/** A record goes to the shard of the lane (ledger connection) that writes it (ledger-divided-among-lanes.ts). */
async function divideRequests(session: Session, dividing: Step): Promise<void> {
  const groups = await groupsOf(session)
  await rowsOf(
    session,
    `UPDATE requests r SET shard_key = w.key FROM unnest($1::text[], $2::int8[], $3::int8[]) AS w(key, "from", "to")
     WHERE hashtext(coalesce(r.end_user_id, r.call_id)) BETWEEN w."from" AND w."to"`,
    [groups.map(({ key }) => key), groups.map(({ from }) => from), groups.map(({ to }) => to)],
  )
  await dividing.run(session)
}

async function foreignKeySteps(session: Session): Promise<Step[]> {
  const rows = await rowsOf<{ name: string }>(
    session,
    `SELECT w.name FROM unnest($1::text[], $2::text[]) AS w(name, target)
     WHERE NOT EXISTS (SELECT FROM pg_constraint k JOIN citus_tables t ON t.table_name = k.conrelid
       WHERE k.contype = 'f' AND k.conrelid = w.name::regclass AND k.confrelid = w.target::regclass)`,
    [Object.keys(foreignKeys), Object.values(foreignKeys).map((target) => target.split(' ')[0])],
  )
  return rows.map(({ name }) =>
    stepOf(`Add the foreign key of ${name}`, [
      `ALTER TABLE ${name} ADD FOREIGN KEY (${distributedBy[name]}) REFERENCES ${foreignKeys[name]}`,
    ]),
  )
}

/**
 * Batches call `all_written` and `hold_shard` on each node. The third function creates partitions for servers, whose
 * role cannot create tables.
 */
async function functionSteps(session: Session): Promise<Step[]> {
  const [found] = await rowsOf<{ written: string; partition: string; hold: string }>(
    session,
    `SELECT EXISTS (SELECT FROM pg_dist_object WHERE classid = 'pg_proc'::regclass
         AND objid = 'all_written(int8, int8)'::regprocedure)::text AS written,
       (to_regprocedure('${partitionFunction}') IS NOT NULL)::text AS partition,
       (to_regprocedure('${holdFunction}') IS NOT NULL)::text AS hold`,
  )
  return [
    ...(found?.written === 'true'
      ? []
      : [
          stepOf('Create the function all_written on each node', [
            `SELECT create_distributed_function('all_written(int8, int8)')`,
          ]),
        ]),
    ...(found?.partition === 'true'
      ? []
      : [stepOf('Create the function that adds the partition of a month', partitionFunctionSql)]),
    ...(found?.hold === 'true'
      ? []
      : [stepOf('Create the function that prevents moves of a shard during a batch', holdFunctionSql)]),
  ]
}

async function numberSteps(session: Session, distributed: ReadonlySet<string>): Promise<Step[]> {
  const numbers = { table: 'sources', highest: 'max(last_entry)' }
  const behind = await nodesBehind(session, distributed.has(numbers.table) ? numbers : null)
  if (behind.length === 0) return []
  return [{ text: 'Give each node its own numbers of ledger entries', run: renumberNodes }]
}
