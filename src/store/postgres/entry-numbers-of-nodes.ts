/**
 * Each node has its own sequence, so that a batch uses one node. Each sequence returns the first numbers of blocks. A
 * block belongs to one node.
 */
import { blockSize } from './ledger-state.ts'
import { nodeNumberMax, onAllNodes, rowsOf, type Session } from './citus-cluster.ts'

const stride = blockSize * (nodeNumberMax + 1)

const ledgerSequence = `FROM pg_sequences WHERE sequencename = 'ledger_sequence'`
/**
 * SQL for the newest number that the sequence has returned. Before the sequence's first use, the number that it will
 * return first.
 */
const position = 'coalesce(last_value, start_value)'

/**
 * Returns the addresses of nodes whose next ledger number is not above all numbers in their shards. Nodes without a
 * sequence, and nodes that received a shard, are included.
 * @param numbers a table, and SQL for the highest number in a shard of this table; null if no table is distributed
 * @throws Error if a node does not respond
 */
export async function nodesBehind(
  session: Session,
  numbers: { readonly table: string; readonly highest: string } | null,
): Promise<string[]> {
  // Read the used numbers first. Entries written between the two reads then increase only the next numbers.
  const used =
    numbers === null
      ? []
      : await rowsOf<{ node: bigint; number: bigint }>(
          session,
          `SELECT p.groupid::int8 AS node, max(r.result::int8) AS number FROM run_command_on_shards($1, $2) r
           JOIN pg_dist_placement p USING (shardid) GROUP BY 1`,
          [numbers.table, `SELECT coalesce(${numbers.highest}, 0) FROM %s`],
        )
  const usedOn = new Map(used.map(({ node, number }) => [Number(node), number]))
  const next = await onAllNodes(
    session,
    `SELECT coalesce((SELECT coalesce(last_value + increment_by, start_value) ${ledgerSequence}
       AND increment_by = ${stride}), 0)`,
  )
  return next
    .filter(({ node, result }) => BigInt(result) <= (usedOn.get(node) ?? 0n))
    .map(({ address }) => address)
}

/** Sets each node's next ledger entry number above all used numbers. No server may run in the meantime. */
export async function renumberNodes(session: Session): Promise<void> {
  const [last] = await rowsOf<{ number: bigint }>(
    session,
    'SELECT coalesce(max(last_entry), 0) AS number FROM sources',
  )
  const base = ((last?.number ?? 0n) / BigInt(stride) + 1n) * BigInt(stride)
  await onAllNodes(session, renumbered(base))
}

/**
 * Before a node receives a shard, its entry numbers must be this far above the numbers of all other nodes. During the
 * move, the other nodes may use this many numbers: 2^25 (33 million) blocks on each node. A copy of several hours
 * leaves most of these numbers unused.
 */
const numbersOfMove = 2n ** 37n
/**
 * How far a node's entry numbers are set above all used numbers. The node can then receive shards until another node
 * has used half of these numbers.
 */
const lead = 2n * numbersOfMove
/**
 * The highest number from which a node's entry numbers may continue. All numbers must be below 2^53, and the numbers
 * above `baseMax` are left for ledger entries.
 */
const baseMax = 2n ** 52n

/**
 * Continues one node's entry numbers far above the numbers of all other nodes. Numbers in a shard that moves to this
 * node then still rise. Servers may run during the change, because the change of the sequence waits for open
 * transactions that use the sequence.
 * @throws Error if the numbers of the cluster are used up
 */
export async function continueNumbersOn(session: Session, node: number): Promise<void> {
  const positions = await onAllNodes(session, `SELECT coalesce((SELECT ${position} ${ledgerSequence}), 0)`)
  let own = 0n
  let highest = 0n
  for (const { node: of, result } of positions) {
    if (of === node) own = BigInt(result)
    else if (BigInt(result) > highest) highest = BigInt(result)
  }
  if (own >= highest + numbersOfMove) return
  const base = ((highest + lead) / BigInt(stride)) * BigInt(stride)
  if (base > baseMax) {
    throw new Error(
      'the ledger numbers for moves of shards are used up, because the next number would be above 2^52',
    )
  }
  await onAllNodes(session, renumbered(base, `WHERE groupid = ${node}`))
}

/**
 * Continues the numbers of the node on which the SQL runs, if the condition on the node's `groupid` is true. Never sets
 * the numbers back.
 */
function renumbered(base: bigint, condition = ''): string {
  return `DO $do$ DECLARE first int8 := (SELECT ${base} + 1 + ${blockSize} * groupid FROM pg_dist_local_group ${condition});
     BEGIN
       IF first IS NULL OR first <= (SELECT ${position} ${ledgerSequence} AND increment_by = ${stride}) THEN RETURN; END IF;
       CREATE SEQUENCE IF NOT EXISTS ledger_sequence;
       EXECUTE format('ALTER SEQUENCE ledger_sequence INCREMENT BY ${stride} START WITH %1$s RESTART WITH %1$s', first);
     END $do$`
}
