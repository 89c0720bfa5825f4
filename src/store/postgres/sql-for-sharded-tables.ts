/**
 * The layout of the tables on a distributed PostgreSQL, and the form of the SQL statements for it.
 *
 * A statement of the ledger reads its array parameters as rows named `w`. It compares the distribution column of each
 * table with a column of `w`. A distributed database must choose the shard before it knows the values of `w`. On such a
 * database, each column is therefore also compared with an array of texts that are all on the batch's shard. These
 * texts are the key of the batch's group and the IDs of its end users.
 *
 * Only lanes (ledger connections) that cannot reach their shard's node send this comparison. All other lanes use the
 * tables of the shard (shard-tables.ts).
 */
import type { Sent } from './send-statements-together.ts'

export const distributedBy: Readonly<Record<string, string>> = {
  end_users: 'id',
  keys: 'end_user_id',
  accounts: 'end_user_id',
  rate_uses: 'end_user_id',
  line_rate_uses: 'end_user_id',
  sources: 'end_user_id',
  holds: 'end_user_id',
  ledger: 'end_user_id',
  usage_records: 'end_user_id',
  usage_days: 'end_user_id',
  key_spending: 'end_user_id',
  outcome_runs: 'end_user_id',
  call_corrections: 'end_user_id',
  on_demand_months: 'end_user_id',
  shard_groups: 'shard_key',
  lanes: 'shard_key',
  requests: 'shard_key',
}

/** Tables with a copy on each node, each after the tables that it refers to. Requests only read these tables. */
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

/**
 * Texts whose hashes all belong to the batch's shard: the key of its group and the IDs of its end users. Null on a
 * database with one node.
 */
export type Places = readonly string[] | null

export interface ShardOfBatch {
  /** The key of the lane's group of end users (shard-groups.ts). */
  readonly key: string
  /** Null on a database with one node, and if the lane uses the tables of its shard (shard-tables.ts). */
  readonly places: Places
  readonly isDistributed: boolean
}

/**
 * Returns SQL that compares a column with one value, after `=`. PostgreSQL can find rows by this comparison, but cannot
 * use it for a join in the order of an index. With a plain `=`, the planner would read a whole index of `holds` in its
 * order if few holds existed when the statement was planned. The index may have many entries of ended calls.
 */
export function oneOf(value: string): string {
  return `ANY (ARRAY[${value}])`
}

/**
 * Ends a lateral subquery that PostgreSQL runs for each row of `w`. If the planner can use a partial index, `oneOf` is
 * not enough. If the table had few rows when it was analyzed, the planner would read the whole index and compare each
 * entry with each row of `w`. The partition of a month is empty until the month begins.
 */
export const onceForEachRow = 'OFFSET 0'

/**
 * Finds the usage record (`u`) of a call by its primary key. The comparison of the call alone chooses the month. The
 * comparisons of rows repeat the other two, and make plans that use other indexes more expensive. If a month was analyzed
 * while it was empty, all its indexes would otherwise cost the same, and the planner could read one as a whole.
 */
export const chargedCallByPrimaryKey = `u.end_user_id = ${oneOf('w.end_user_id')} AND u.call_id = w.call_id
        AND (u.end_user_id, u.call_id) >= (w.end_user_id, w.call_id)
        AND (u.end_user_id, u.call_id) <= (w.end_user_id, w.call_id)`

/** Matches `oneOf`. Citus can choose the shard only by an equality. */
const comparedWithOne = /= ANY \(ARRAY\[(\w+\.\w+)\]\)/g

const restricted = new Map<string, string>()

/** Changes the statement so that it uses one shard. Returns a statement that reads no distributed table unchanged. */
export function onShard({ name, text, values }: Sent, places: Places): Sent {
  if (places === null) return { name, text, values }
  let one = restricted.get(text)
  if (one === undefined) {
    const parameter = values.length + 1
    one = text
      .replaceAll(chargedCallByPrimaryKey, 'u.end_user_id = w.end_user_id AND u.call_id = w.call_id')
      .replaceAll(comparedWithOne, '= $1')
      .replaceAll(onceForEachRow, '')
      .replaceAll(
        /\b(\w+\.(?:id|end_user_id|shard_key)) = w\.(?:end_user_id|shard_key)\b/g,
        (comparison, column: string) => `${comparison} AND ${column} = ANY($${parameter}::text[])`,
      )
    restricted.set(text, one)
  }
  return one === text ? { name, text, values } : { name, text: one, values: [...values, places] }
}

/**
 * The statement takes the distribution column from a stored row. Otherwise, the database collects the rows and sends
 * them to all shards. The stored row always exists. A batch has locked its end users' rows, and the row of a lane
 * refers to the row of its group.
 * @param rows the rows to add, named `w`
 */
export function insertOnShard(table: string, columns: readonly string[], rows: string): string {
  const column = distributedBy[table]
  if (column === undefined) return `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM ${rows}`
  const stored = column === 'shard_key' ? 'shard_groups' : 'end_users'
  const values = columns.map((name) => (name === column ? `p.${distributedBy[stored]}` : `w.${name}`))
  return `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${stored} p
    JOIN ${rows} ON p.${distributedBy[stored]} = w.${column}`
}
