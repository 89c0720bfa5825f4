/**
 * The nodes of a Citus cluster that lanes (ledger connections) connect to. A lane uses one shard. Connecting to the
 * shard's node saves the coordinator's work and Citus's planning (shard-tables.ts).
 */
import { type Client, DatabaseError, type Pool } from 'pg'
import { rowsOf } from './citus-cluster.ts'
import { PostgresError } from './classify-postgres-errors.ts'

interface Address {
  readonly host: string
  readonly port: string
}

const placement = `SELECT n.nodename AS host, n.nodeport::text AS port
  FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)
  WHERE p.shardid = get_shard_id_for_distribution_column('shard_groups', $1::text) AND n.noderole = 'primary'
    AND n.metadatasynced`

/**
 * Returns a function that connects to the node with the shard of a group. The returned function connects to `url`
 * instead if:
 *
 * - this host cannot reach the node,
 * - the node has no TLS that this host accepts, or
 * - the node rejects this role.
 *
 * If the node responded to this process before and does not respond now, the returned function throws. A connection to
 * the coordinator would then also wait for this node.
 * @param url the coordinator
 */
export function connectToNodes(
  pool: Pick<Pool, 'query'>,
  url: string,
  connectTo: (url: string) => Promise<Client>,
): (shardKey: string) => Promise<Client> {
  const reached = new Set<string>()
  return async (shardKey) => {
    const [node] = await rowsOf<{ host: string; port: string }>(pool, placement, [shardKey])
    if (node === undefined) return connectTo(url)
    const there = urlAt(url, node)
    try {
      const client = await connectTo(there)
      reached.add(there)
      return client
    } catch (error) {
      if (!isRefusal(error) || (reached.has(there) && isTimeout(error))) throw error
      return connectTo(url)
    }
  }
}

/**
 * Whether no connection could be made, or the role was rejected. False for a node that this process rejects, because
 * the node's settings could lose commits.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof PostgresError)) return false
  // SQLSTATEs that begin with 28 mean that the node rejected the role.
  return (
    error.code === 'unreachable' ||
    (error.cause instanceof DatabaseError && error.cause.code?.startsWith('28') === true)
  )
}

/** Test the message too, because a time limit of `pg` has no code, unlike a time limit of the operating system. */
function isTimeout(error: unknown): boolean {
  const cause: unknown = error instanceof PostgresError ? error.cause : null
  if (!(cause instanceof Error)) return false
  return ('code' in cause && cause.code === 'ETIMEDOUT') || cause.message.toLowerCase().includes('timeout')
}

function urlAt(url: string, { host, port }: Address): string {
  const there = new URL(url)
  there.hostname = host
  there.port = port
  // Remove these parameters, because they would override the host of the node.
  there.searchParams.delete('host')
  there.searchParams.delete('port')
  return there.href
}
