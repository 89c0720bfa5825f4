/**
 * Groups of end users whose rows are on one shard of a distributed PostgreSQL. Each lane (ledger connection) commits
 * only operations of one group, so each of its transactions uses one node. A database with one node has one group.
 *
 * The table `shard_groups` defines the groups by the hash of the end user's ID, so a process needs no catalog of a
 * particular engine. If the table is out of date, a statement reaches a second shard. A distributed database then
 * commits in two phases or rejects the statement, but never writes another end user's row.
 */
import assert from 'node:assert/strict'
import type { Pool } from 'pg'
import { hashOfText } from '#store/sql/text-hash.ts'
import { PostgresError, postgresError } from './error.ts'

export interface ShardGroup {
  /** A text on the group's shard: the distribution column of rows that belong to no end user. */
  readonly key: string
  /** Inclusive bounds of `hashOfText`. */
  readonly from: number
  readonly to: number
}

export class ShardGroups {
  readonly keys: readonly string[]
  readonly #groups: readonly ShardGroup[]

  constructor(groups: readonly ShardGroup[]) {
    this.#groups = groups.toSorted((one, other) => one.from - other.from)
    this.keys = this.#groups.map(({ key }) => key)
    let next = -(2 ** 31)
    for (const { from, key, to } of this.#groups) {
      assert(from === next && to >= from, `shard group '${key}' does not begin where the previous group ends`)
      next = to + 1
    }
    assert(next === 2 ** 31, 'the shard groups contain every hash')
  }

  get isDistributed(): boolean {
    return this.#groups.length > 1
  }

  /** Returns the position in `keys` of the group of an end user, or of any other text. */
  of(id: string): number {
    if (!this.isDistributed) return 0
    const hash = hashOfText(id)
    return this.#groups.findLastIndex(({ from }) => from <= hash)
  }
}

/** `tollgate scale apply` removes the groups before its first change and adds the new groups after its last one. */
const partlyDistributed = 'The database is only partly distributed. Run tollgate scale apply again'

/** Returns a group for each range of hashes, with a key whose hash is in the range. The keys depend only on the ranges. */
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
  try {
    const { rows } = await pool.query<{ shard_key: string; hash_from: bigint; hash_to: bigint }>(
      'SELECT shard_key, hash_from, hash_to FROM shard_groups',
    )
    if (rows.length === 0) throw new PostgresError('away', partlyDistributed)
    return new ShardGroups(
      rows.map((row) => ({ key: row.shard_key, from: Number(row.hash_from), to: Number(row.hash_to) })),
    )
  } catch (cause) {
    throw postgresError(cause)
  }
}
