/**
 * Each process has an epoch: a row that the process updates every few seconds, by the database's clock. A hold belongs
 * to the process of its epoch until that epoch has ended (docs/reference/rules.md "A process that dies").
 */
import type { Pool, PoolClient } from 'pg'
import { withClient } from './connection.ts'
import { isAway, PostgresError, postgresError } from './classify-postgres-errors.ts'

const beatEveryMs = 4_000

export interface Lease {
  readonly epoch: number
  /**
   * Ends the epoch. The process writes nothing afterwards, so other processes need not wait until this process counts
   * as dead.
   */
  end(): Promise<void>
}

export interface LeaseOptions {
  readonly pool: Pool
  /** The shard-group key of each lane (ledger connection) to create, by the lane's number. */
  readonly shardKeys: readonly string[]
  readonly nowMs: () => number
  readonly beatEveryMs?: number
}

/** Also creates a row for each lane (ledger connection) in `shardKeys`. */
export async function takeLease(options: LeaseOptions): Promise<Lease> {
  const { nowMs, pool, shardKeys } = options
  const epoch = await begin(pool, shardKeys, nowMs())
  // Do not repeat a failed update, because the next update is enough. If other processes have declared this process
  // dead, the next batch of a lane (ledger connection) detects it.
  const beat = (): void => {
    pool
      .query('UPDATE epochs SET beat_at = clock_timestamp() WHERE epoch = $1 AND ended_at_ms IS NULL', [
        epoch,
      ])
      .catch(() => {})
  }
  const timer = setInterval(beat, options.beatEveryMs ?? beatEveryMs)
  timer.unref()
  return {
    epoch,
    async end() {
      clearInterval(timer)
      await endEpoch(pool, epoch, nowMs())
    },
  }
}

async function begin(pool: Pool, shardKeys: readonly string[], nowMs: number): Promise<number> {
  try {
    const { rows } = await pool.query<{ epoch: bigint }>(
      `INSERT INTO epochs (epoch, started_at_ms) VALUES (nextval('epoch_sequence'), $1) RETURNING epoch`,
      [nowMs],
    )
    const [row] = rows
    if (row === undefined) throw new Error('the new epoch got no number')
    if (shardKeys.length > 0) {
      await pool.query(
        `INSERT INTO lanes (shard_key, epoch, lane, batch)
         SELECT w.shard_key, $1, w.lane - 1, 0 FROM unnest($2::text[]) WITH ORDINALITY AS w(shard_key, lane)`,
        [row.epoch, shardKeys],
      )
    }
    return Number(row.epoch)
  } catch (cause) {
    throw postgresError(cause)
  }
}

/**
 * Returns a function that creates the row of a lane (ledger connection) on a distributed database. Call the function
 * before each connection of the lane. Only the first call creates the row. The process can thus start while a node does
 * not respond, and other lanes continue. A row that no longer exists is not created again, because the process was
 * declared dead.
 */
export function laneCreator({
  epoch,
  shardKeys,
  url,
}: {
  readonly epoch: number
  readonly shardKeys: readonly string[]
  readonly url: string
}): (lane: number) => Promise<void> {
  const created = new Set<number>()
  return async (lane) => {
    if (created.has(lane)) return
    try {
      await withClient({ url, access: 'write', isBrief: true }, async (client) => {
        await client.query('BEGIN')
        // `endEpoch` locks the same row before it changes `lanes`, so it cannot miss the row that is added here.
        const { rowCount } = await client.query(
          'SELECT FROM epochs WHERE epoch = $1 AND ended_at_ms IS NULL FOR KEY SHARE',
          [epoch],
        )
        if (rowCount === 0) throw declaredDead()
        await client.query(
          'INSERT INTO lanes (shard_key, epoch, lane, batch) VALUES ($1, $2, $3, 0) ON CONFLICT DO NOTHING',
          [shardKeys[lane], epoch, lane],
        )
        await client.query('COMMIT')
      })
    } catch (cause) {
      const error = postgresError(cause)
      // The lane (ledger connection) has sent nothing to its node yet, so report a failed connection.
      throw isAway(error.code) ? new PostgresError('unreachable', error.message, { cause }) : error
    }
    created.add(lane)
  }
}

export function declaredDead(): PostgresError {
  return new PostgresError(
    'fenced',
    'this process was silent for too long, and its calls are taken over by others',
  )
}

/**
 * Returns a function that reports whether only this process has run since the function's previous call. The function
 * compares epochs (process numbers), not times. It detects processes that ran at either call, and processes that began
 * and ended in between.
 */
export function aloneSince(pool: Pool, epoch: number): () => Promise<boolean> {
  let before = { newest: epoch, hasOthers: false }
  return async () => {
    const { rows } = await pool.query<{ newest: bigint; others: bigint }>(
      `SELECT max(epoch) AS newest, count(*) FILTER (WHERE ended_at_ms IS NULL AND epoch <> $1) AS others FROM epochs`,
      [epoch],
    )
    const [row] = rows
    const now = { newest: Number(row?.newest), hasOthers: Number(row?.others) > 0 }
    const isAlone = !before.hasOthers && !now.hasOthers && now.newest === before.newest
    before = now
    return isAlone
  }
}

/**
 * Locks the epoch's row first, so that no new lane (ledger connection) is created. Then locks the rows of the lanes, as
 * each batch does (postgres/batch-engine.ts). This function therefore waits for running batches, and no batch can begin
 * afterwards.
 */
export async function endEpoch(pool: Pool, epoch: number, nowMs: number): Promise<void> {
  let client: PoolClient | null = null
  let isSound = false
  try {
    client = await pool.connect()
    await client.query('BEGIN')
    await client.query('SELECT FROM epochs WHERE epoch = $1 FOR UPDATE', [epoch])
    await client.query('UPDATE lanes SET is_ended = 1 WHERE epoch = $1', [epoch])
    await client.query('UPDATE epochs SET ended_at_ms = $2 WHERE epoch = $1 AND ended_at_ms IS NULL', [
      epoch,
      nowMs,
    ])
    await client.query('COMMIT')
    isSound = true
  } catch (cause) {
    throw postgresError(cause)
  } finally {
    client?.release(!isSound)
  }
}
