/**
 * Groups of end users whose rows are on one shard of a distributed PostgreSQL. A database with one node has one group.
 * Each lane (ledger connection) commits only operations of one group, so each of its transactions uses one node.
 *
 * The table `shard_groups` defines the groups by the hash of the end user's ID. A process therefore needs no catalog
 * tables of Citus. If the table is out of date, a statement may need a second shard. The database then commits in two
 * phases or rejects the statement, but never writes a row of another end user.
 */
import assert from 'node:assert/strict'
import type { Pool } from 'pg'
import { hashOfText } from '#store/sql/postgres-text-hash.ts'
import { isDistributed as isOnCitus, rowsOf } from './citus-cluster.ts'
import { isTemporary, PostgresError, postgresCode } from './classify-postgres-errors.ts'

export interface ShardGroup {
  /**
   * A text whose hash is in the group's range. Rows that belong to no end user have this text in their distribution
   * column.
   */
  readonly key: string
  /** The first and last hash (`hashOfText`) of the group, both inclusive. */
  readonly from: number
  readonly to: number
}

export class ShardGroups {
  /** In the order of their hashes. */
  readonly all: readonly ShardGroup[]
  readonly keys: readonly string[]

  constructor(groups: readonly ShardGroup[]) {
    this.all = groups.toSorted((one, other) => one.from - other.from)
    this.keys = this.all.map(({ key }) => key)
    let next = -(2 ** 31)
    for (const { from, key, to } of this.all) {
      assert(from === next && to >= from, `shard group '${key}' does not begin where the previous group ends`)
      next = to + 1
    }
    assert(next === 2 ** 31, 'the shard groups contain every hash')
  }

  get isDistributed(): boolean {
    return this.all.length > 1
  }

  /** The index in `keys` of the group of a text, by the text's hash. The text is usually an end user's ID. */
  of(id: string): number {
    if (!this.isDistributed) return 0
    const hash = hashOfText(id)
    return this.all.findLastIndex(({ from }) => from <= hash)
  }
}

/** `tollgate scale apply` removes the groups before its first change, and adds the new groups after its last change. */
const partlyDistributed = 'The database is only partly distributed. Run tollgate scale apply again'

/** The keys depend only on the ranges. */
export function shardGroupsOf(ranges: readonly Pick<ShardGroup, 'from' | 'to'>[]): ShardGroup[] {
  return ranges.map(({ from, to }) => {
    let number = 0
    const isOutside = (hash: number): boolean => hash < from || hash > to
    while (isOutside(hashOfText(String(number)))) number += 1
    return { key: String(number), from, to }
  })
}

/** @throws PostgresError */
export async function readShardGroups(pool: Pick<Pool, 'query'>): Promise<ShardGroups> {
  const stored = await storedGroups(pool).catch((error: unknown) => groupsOfRanges(pool, error))
  if (stored.length === 0) throw new PostgresError('away', partlyDistributed)
  return new ShardGroups(stored)
}

/** @param where the WHERE clause; without it, all groups are returned */
async function storedGroups(
  pool: Pick<Pool, 'query'>,
  where = '',
  values: readonly string[] = [],
): Promise<ShardGroup[]> {
  const rows = await rowsOf<{ shard_key: string; hash_from: bigint; hash_to: bigint }>(
    pool,
    `SELECT shard_key, hash_from, hash_to FROM shard_groups ${where}`,
    values,
  )
  return rows.map((row) => ({ key: row.shard_key, from: Number(row.hash_from), to: Number(row.hash_to) }))
}

/**
 * Returns the groups even if a node of Citus is unavailable. The rows of `shard_groups` are spread over the nodes, but
 * the coordinator knows the hash ranges of all shards. Either all rows exist or none, because `tollgate scale` adds
 * them in one transaction. The first node that responds therefore shows whether the rows exist.
 * @param error the error of the query that needs every node; thrown again unless a node of Citus is unavailable
 */
async function groupsOfRanges(pool: Pick<Pool, 'query'>, error: unknown): Promise<readonly ShardGroup[]> {
  if (!isTemporary(postgresCode(error)) || !(await isOnCitus(pool))) throw error
  const ranges = await rowsOf<{ from: bigint; to: bigint; node: bigint }>(
    pool,
    `SELECT shardminvalue::int8 AS "from", shardmaxvalue::int8 AS "to", p.groupid AS node
     FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) WHERE s.logicalrelid = 'shard_groups'::regclass`,
  )
  const groups = shardGroupsOf(ranges.map(({ from, to }) => ({ from: Number(from), to: Number(to) })))
  const keyOfNode = new Map(ranges.map(({ node }, at) => [node, groups[at]?.key ?? '']))
  for (const key of keyOfNode.values()) {
    // oxlint-disable-next-line no-await-in-loop -- usually the first node responds
    const found = await storedGroups(pool, 'WHERE shard_key = $1', [key]).catch(() => null)
    if (found !== null) return found.length === 0 ? [] : groups
  }
  throw error
}
