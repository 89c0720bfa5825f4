/**
 * The tables of one shard, on the node that stores the shard.
 *
 * Citus plans each statement on a distributed table again, which takes about 0.5 ms of CPU time. A lane (ledger
 * connection) to the node of its shard uses the node's own tables, such as `holds_102076`. PostgreSQL plans these
 * statements once.
 *
 * Citus does not move a shard while a statement that Citus planned writes to the shard. But Citus does not see writes
 * to the node's own tables. Each transaction of a lane therefore first calls `hold_shard`, which takes the same lock as
 * a planned write. The function fails if the shard has moved to another node.
 */
import type { Client } from 'pg'
import { rowsOf, type Session } from './citus-cluster.ts'
import { type Sent, sendAll } from './send-statements-together.ts'
import { distributedBy, onEachNode } from './sql-for-sharded-tables.ts'

export const holdFunction = 'hold_shard(int8)'

/**
 * Locks the shard in mode 5, ShareLock (PostgreSQL's lockdefs.h), which conflicts with the ExclusiveLock of a move
 * (Citus' shard_transfer.c). Only the owner of the tables may take the lock, so the function runs with the owner's
 * rights. After the SQLSTATE 40001, the lane connects again and repeats the batch.
 */
export const holdFunctionSql: readonly string[] = [
  `CREATE FUNCTION hold_shard(shard int8) RETURNS void
     LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
     BEGIN
       PERFORM lock_shard_metadata(5, ARRAY[shard]);
       IF NOT EXISTS (SELECT FROM pg_dist_placement JOIN pg_dist_local_group USING (groupid) WHERE shardid = shard)
       THEN RAISE EXCEPTION 'shard % has moved to another node', shard USING ERRCODE = '40001'; END IF;
     END $$`,
  `REVOKE EXECUTE ON FUNCTION ${holdFunction} FROM PUBLIC`,
]

export interface LaneConnection {
  readonly client: Client
  /** Null if the connection goes through the coordinator. */
  readonly tables: ShardTables | null
}

export class ShardTables {
  /** Prevents moves of the shard until the transaction ends. */
  readonly hold: Sent
  readonly #names: ReadonlyMap<string, string>
  readonly #texts = new Map<string, string>()

  /**
   * @param shard the number of any table's shard, because Citus moves the shards of all tables together
   * @param names for each table, the name of its shard on this node
   */
  constructor(shard: bigint, names: ReadonlyMap<string, string>) {
    this.hold = { name: 'hold_shard', text: 'SELECT hold_shard($1)', values: [shard] }
    this.#names = names
  }

  /**
   * Replaces distributed tables with the tables of the shard. For a table with a copy on each node, replaces only
   * reads, because a write must reach all copies.
   */
  at(statement: Sent): Sent {
    let text = this.#texts.get(statement.text)
    if (text === undefined) {
      text = statement.text.replaceAll(
        /\b(FROM|JOIN|INTO|UPDATE) (\w+)\b/g,
        (found, verb: string, table: string) => {
          const name = this.#names.get(table)
          const isWrite = verb === 'INTO' || verb === 'UPDATE'
          if (name === undefined || (isWrite && distributedBy[table] === undefined)) return found
          // Keep the original name as an alias, because ON CONFLICT refers to the row by the name of the table.
          return verb === 'INTO' ? `INTO ${name} AS ${table}` : `${verb} ${name}`
        },
      )
      this.#texts.set(statement.text, text)
    }
    return text === statement.text ? statement : { ...statement, text }
  }
}

/** @throws PostgresError */
export function sendOn(
  { client, tables }: LaneConnection,
  statements: readonly Sent[],
): ReturnType<typeof sendAll> {
  return sendAll(client, tables === null ? statements : statements.map((each) => tables.at(each)))
}

/**
 * Returns null if this server is not the shard's node, or if the database does not have the function `hold_shard` yet.
 */
export async function readShardTables(session: Session, shardKey: string): Promise<ShardTables | null> {
  const rows = await rowsOf<{ table: string; name: string; shard: bigint }>(
    session,
    `SELECT c.relname AS "table", shard_name(s.logicalrelid, s.shardid) AS name, s.shardid AS shard
     FROM pg_dist_shard s JOIN pg_class c ON c.oid = s.logicalrelid
     JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_local_group g USING (groupid)
     WHERE s.logicalrelid = ANY($1::text[]::regclass[]) AND to_regprocedure('${holdFunction}') IS NOT NULL
       AND (s.shardminvalue IS NULL OR s.shardid = get_shard_id_for_distribution_column(s.logicalrelid, $2::text))`,
    [[...Object.keys(distributedBy), ...onEachNode], shardKey],
  )
  const names = new Map(rows.map(({ name, table }) => [table, name]))
  const own = rows.find(({ table }) => table === 'lanes')
  if (own === undefined || Object.keys(distributedBy).some((table) => !names.has(table))) return null
  return new ShardTables(own.shard, names)
}
