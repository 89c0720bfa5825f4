import { type ShardGroup, shardGroupsOf } from '#store/postgres/shard-groups.ts'

export function evenShardGroups(count: number): ShardGroup[] {
  const width = 2 ** 32 / count
  const starts = Array.from({ length: count }, (_, at) => -(2 ** 31) + at * width)
  return shardGroupsOf(starts.map((from) => ({ from, to: from + width - 1 })))
}
