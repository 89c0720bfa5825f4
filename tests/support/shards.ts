/** The parts of the layout of a distributed PostgreSQL that only tests use, because no command distributes a database. */
import type { ShardGroup } from '#store/postgres/shard-groups.ts'
import { hashOfText } from '#store/postgres/text-hash.ts'

/**
 * Tables with a copy on each node. A request only reads them, with one exception: a settle that is days late lowers
 * `usage_fold.through_day` (usage-fold.ts).
 */
export const onEachNode: readonly string[] = [
  'organizations',
  'applications',
  'portal_settings',
  'bundles',
  'bundle_changes',
  'bundle_includes',
  'bundle_prices',
  'past_includes',
  'aliases',
  'outcomes',
  'quotes',
  'usage_fold',
  'grants',
  'grant_reversals',
]

/** Returns a group for each range of hashes, with a key whose hash is in the range. */
export function shardGroupsOf(ranges: readonly Pick<ShardGroup, 'from' | 'to'>[]): ShardGroup[] {
  return ranges.map(({ from, to }) => {
    let number = 0
    const isOutside = (hash: number): boolean => hash < from || hash > to
    while (isOutside(hashOfText(String(number)))) number += 1
    return { key: String(number), from, to }
  })
}

/** Even shares of all hashes. */
export function evenShardGroups(count: number): ShardGroup[] {
  const width = 2 ** 32 / count
  const starts = Array.from({ length: count }, (_, at) => -(2 ** 31) + at * width)
  return shardGroupsOf(starts.map((from) => ({ from, to: from + width - 1 })))
}
