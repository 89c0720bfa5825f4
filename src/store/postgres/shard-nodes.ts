/**
 * The nodes of a Citus cluster that lanes connect to. A lane uses one shard, so a connection to its node saves the work
 * of the coordinator. Any node accepts the statements of any shard. So a lane whose shard moves only loses this advantage,
 * until it connects again.
 */
import type { Client, Pool } from 'pg'
import { rowsOf } from './citus.ts'
import { PostgresError } from './error.ts'

interface Address {
  readonly host: string
  readonly port: string
}

const placement = `SELECT n.nodename AS host, n.nodeport::text AS port
  FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)
  WHERE p.shardid = get_shard_id_for_distribution_column('shard_groups', $1::text) AND n.noderole = 'primary'`

/**
 * Returns a function that connects to the node with the shard of a group. It connects to `url` instead if the node
 * cannot be reached from this host, or does not let this role in.
 * @param url the coordinator
 */
export function connectToNodes(
  pool: Pick<Pool, 'query'>,
  url: string,
  connectTo: (url: string) => Promise<Client>,
): (shardKey: string) => Promise<Client> {
  return async (shardKey) => {
    const [node] = await rowsOf<{ host: string; port: string }>(pool, placement, [shardKey])
    if (node === undefined) return connectTo(url)
    try {
      return await connectTo(urlAt(url, node))
    } catch (error) {
      if (!isClosed(error)) throw error
      return connectTo(url)
    }
  }
}

const refusals = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])

/** False for a node that does not respond. The coordinator would wait for this node as long. */
function isClosed(error: unknown): boolean {
  const cause: unknown = error instanceof PostgresError ? error.cause : null
  if (!(cause instanceof Error && 'code' in cause && typeof cause.code === 'string')) return false
  // Class 28 is invalid authorization.
  return refusals.has(cause.code) || cause.code.startsWith('28')
}

function urlAt(url: string, { host, port }: Address): string {
  const there = new URL(url)
  there.hostname = host
  there.port = port
  // Parameters of the address have precedence.
  there.searchParams.delete('host')
  there.searchParams.delete('port')
  return there.href
}
