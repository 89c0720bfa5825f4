/** A server needs these facts only to name a node that does not respond. */
import type { Client } from 'pg'
import { postgresError } from './classify-postgres-errors.ts'

export type Session = Pick<Client, 'query'>

/**
 * The highest number that a node may have (`pg_dist_node.groupid`). The numbers of ledger entries are divided among
 * this many nodes (entry-numbers-of-nodes.ts).
 */
export const nodeNumberMax = 63

/** Checks that this is the coordinator of a cluster with nodes that can store shards. @throws Error */
export async function assertCluster(session: Session): Promise<void> {
  const guide = 'See the guide "Scale from one process to many"'
  const extensions = await rowsOf(session, `SELECT FROM pg_extension WHERE extname = 'citus'`)
  if (extensions.length === 0) {
    throw new Error(
      `the database has no extension citus. Create it in this database on the coordinator and on each node. ${guide}`,
    )
  }
  const [own] = await rowsOf<{ groupid: number }>(session, 'SELECT groupid::text FROM pg_dist_local_group')
  if (Number(own?.groupid) !== 0) throw new Error('this is a node. Set DATABASE_URL to the coordinator')
  const nodes = await rowsOf<{ groupid: string; coordinator: string }>(
    session,
    `SELECT groupid::text, (SELECT count(*) FROM pg_dist_node WHERE groupid = 0)::text AS coordinator
     FROM pg_dist_node WHERE shouldhaveshards AND noderole = 'primary'`,
  )
  if (nodes.length === 0 || nodes[0]?.coordinator === '0') {
    throw new Error(
      `the cluster has no nodes for shards. Call citus_set_coordinator_host and citus_add_node. ${guide}`,
    )
  }
  const high = nodes.find(({ groupid }) => Number(groupid) > nodeNumberMax)
  if (high !== undefined) {
    throw new Error(
      `the cluster has a node with the group ID ${high.groupid}, and ${nodeNumberMax} is the maximum`,
    )
  }
}

/** Whether the database is distributed, completely or partly. */
export async function isDistributed(session: Session): Promise<boolean> {
  const [found] = await rowsOf<{ there: string | null }>(
    session,
    `SELECT to_regclass('citus_tables')::text AS there`,
  )
  if (found?.there === null) return false
  return (
    (await rowsOf(session, `SELECT FROM citus_tables WHERE citus_table_type = 'distributed' LIMIT 1`))
      .length > 0
  )
}

export interface OnNode {
  readonly node: number
  readonly address: string
  readonly result: string
}

/**
 * Runs a statement on the coordinator and on each node, each in its own transaction.
 * @throws Error if the statement fails on a node
 */
export async function onAllNodes(session: Session, statement: string): Promise<OnNode[]> {
  const rows = await rowsOf<{ node: string; address: string; success: string; result: string }>(
    session,
    `SELECT n.groupid::text AS node, n.nodename || ':' || n.nodeport AS address, r.success::text, r.result
     FROM run_command_on_all_nodes($1) r JOIN pg_dist_node n USING (nodeid)`,
    [statement],
  )
  const failed = rows.find(({ success }) => success !== 'true')
  if (failed !== undefined) throw new Error(`the node ${failed.address} reports: ${failed.result}`)
  return rows.map(({ address, node, result }) => ({ address, node: Number(node), result }))
}

/** @throws PostgresError */
export async function rowsOf<R extends object>(
  session: Session,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  try {
    return (await session.query<R>(text, [...values])).rows
  } catch (cause) {
    throw postgresError(cause)
  }
}
