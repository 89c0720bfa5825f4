/**
 * Implements `scale rebalance`: moves shards one by one until all nodes have the same number, while servers run. Citus
 * copies a shard by logical replication, so writes wait only at the end of the copy.
 */
import type { Client } from 'pg'
import { assertCluster, rowsOf } from './citus-cluster.ts'
import { withClient } from './connection.ts'
import { continueNumbersOn } from './entry-numbers-of-nodes.ts'
import { lockAlone, runSteps, type ScaleOptions, shardLock } from './plan-or-apply-distribution.ts'
import { roleSteps } from './server-role.ts'

interface Move {
  readonly shard: bigint
  readonly from: string
  readonly to: string
  readonly node: bigint
}

/**
 * @param told called before each move with a sentence that has no final period
 * @throws Error if a node does not respond, if the database is not distributed, or if another command changes or moves
 * shards
 */
export function rebalanceShards(
  { role, url }: Pick<ScaleOptions, 'role' | 'url'>,
  told: (step: string) => void,
): Promise<void> {
  return withClient({ url, access: 'write', isPatient: true }, async (client) => {
    await lockAlone(client, shardLock)
    await assertCluster(client)
    // Citus moves a shard only to a node that has copies of the reference tables. A new node has no copies yet.
    await rowsOf(client, `SELECT replicate_reference_tables('auto')`)
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- each move changes the plan
      const move = await nextMove(client)
      if (move === undefined) return
      told(`Move shard ${move.shard} from ${move.from} to ${move.to}`)
      // oxlint-disable-next-line no-await-in-loop -- as above
      await run(client, move, role)
    }
  })
}

async function run(client: Client, { from, node, shard, to }: Move, role: string): Promise<void> {
  await continueNumbersOn(client, Number(node))
  // Grant the rights again, because servers have no right yet to use the sequence of a new node.
  await runSteps(client, await roleSteps(client, role))
  await rowsOf(
    client,
    `SELECT citus_move_shard_placement($1::int8, f.nodeid, t.nodeid, 'auto') FROM pg_dist_node f, pg_dist_node t
     WHERE f.nodename || ':' || f.nodeport = $2 AND t.nodename || ':' || t.nodeport = $3`,
    [shard, from, to],
  )
}

async function nextMove(client: Client): Promise<Move | undefined> {
  const [move] = await rowsOf<Move>(
    client,
    `SELECT p.shardid AS shard, p.sourcename || ':' || p.sourceport AS "from",
       p.targetname || ':' || p.targetport AS "to", n.groupid::int8 AS node
     FROM get_rebalance_table_shards_plan('end_users', rebalance_strategy => 'by_shard_count') p
     JOIN pg_dist_node n ON n.nodename = p.targetname AND n.nodeport = p.targetport
     ORDER BY n.groupid, p.shardid LIMIT 1`,
  )
  return move
}
