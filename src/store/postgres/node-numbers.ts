/**
 * The numbers of ledger entries on a distributed database. Each node has a sequence of its own, so that a batch uses one
 * node. The sequences return the first numbers of blocks, and each block belongs to one node.
 */
import { blockSize } from './book.ts'
import { nodeNumberMax, onAllNodes, rowsOf, type Session } from './citus.ts'

const stride = blockSize * (nodeNumberMax + 1)

/**
 * Returns the addresses of nodes whose next ledger number is not above all numbers in their shards. This includes nodes
 * without a sequence, and nodes to which a shard was moved.
 * @param numbers SQL for the highest number in a shard of the table. Null if no table is distributed.
 * @throws Error if a node does not respond
 */
export async function nodesBehind(
  session: Session,
  numbers: { readonly table: string; readonly highest: string } | null,
): Promise<string[]> {
  // Read the used numbers first, so that requests in between do not matter.
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
    `SELECT coalesce((SELECT coalesce(last_value + increment_by, start_value) FROM pg_sequences
       WHERE sequencename = 'ledger_sequence' AND increment_by = ${stride}), 0)`,
  )
  return next
    .filter(({ node, result }) => BigInt(result) <= (usedOn.get(node) ?? 0n))
    .map(({ address }) => address)
}

/** Sets the next number of each node above all used numbers. No server may run. */
export async function renumberNodes(session: Session): Promise<void> {
  const [last] = await rowsOf<{ number: bigint }>(
    session,
    'SELECT coalesce(max(last_entry), 0) AS number FROM sources',
  )
  const base = ((last?.number ?? 0n) / BigInt(stride) + 1n) * BigInt(stride)
  await onAllNodes(session, renumbered(base))
}

/** Numbers that the other nodes may use while a shard moves. A thousand such moves use a thousandth of all numbers. */
const numbersOfMove = 2n ** 43n

/**
 * Continues the numbers of one node far above those of all nodes, so that the numbers of a shard that moves there still
 * rise. Servers may run, because the change of the sequence waits for them.
 * @param node the number of the node
 */
export async function continueNumbersOn(session: Session, node: number): Promise<void> {
  const last = await onAllNodes(
    session,
    `SELECT coalesce((SELECT last_value FROM pg_sequences WHERE sequencename = 'ledger_sequence'), 0)`,
  )
  const highest = last.reduce((most, { result }) => (BigInt(result) > most ? BigInt(result) : most), 0n)
  const base = ((highest + numbersOfMove) / BigInt(stride)) * BigInt(stride)
  await onAllNodes(session, renumbered(base, `WHERE groupid = ${node}`))
}

/** SQL that continues the numbers of the node that runs it, if the condition on its `groupid` is true. */
function renumbered(base: bigint, condition = ''): string {
  return `DO $do$ DECLARE first int8 := (SELECT ${base} + 1 + ${blockSize} * groupid FROM pg_dist_local_group ${condition});
     BEGIN
       IF first IS NULL THEN RETURN; END IF;
       CREATE SEQUENCE IF NOT EXISTS ledger_sequence;
       EXECUTE format('ALTER SEQUENCE ledger_sequence INCREMENT BY ${stride} START WITH %1$s RESTART WITH %1$s', first);
     END $do$`
}
