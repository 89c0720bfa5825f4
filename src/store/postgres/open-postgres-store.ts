/**
 * Any number of processes share one database. Each process has its own lanes (ledger queues with a connection each).
 */
import type { QueueOptions } from '#store/ledger/ledger-queue-options.ts'
import type { Pool } from 'pg'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import { hourMs } from '#money/periods-and-windows.ts'
import type { EngineStore } from '#store/sql/engine-store-interface.ts'
import { EndedHours } from '#store/ledger/hour-sums-of-ended-calls.ts'
import { HourMemory } from '#store/ledger/track-complete-hours.ts'
import { RenewedMap } from '#store/ledger/map-for-many-deletions.ts'
import { PostgresLedger } from './ledger-divided-among-lanes.ts'
import { rehearse } from './batch-warm-up.ts'
import { type CallOwners, PrefetchHints } from './predict-rows-for-batch.ts'
import { OrphanedUsage } from './shut-down-declared-dead-process.ts'
import { type LaneOptions, PostgresLane } from './batch-engine.ts'
import { isDistributed as isOnCitus } from './citus-cluster.ts'
import type { InjectFault } from '#store/ledger/faults-injected-by-tests.ts'
import { BatchLadder, type Halt } from '#store/ledger/handle-failed-batches.ts'
import { LedgerQueue } from '#store/ledger/ledger-queue.ts'
import { type Swept, Sweeper } from './dead-process-sweeper.ts'
import { isAway, isTemporary, postgresCode, postgresError } from './classify-postgres-errors.ts'
import { LateDays } from './days-with-late-settles.ts'
import { assertOwnSession } from './detect-shared-sessions.ts'
import { migratePostgres } from './migrate.ts'
import { Months } from './monthly-partitions.ts'
import { close as closeConnection, connect, poolOf, withClient } from './connection.ts'
import { LookUpConnections } from './look-up-connections.ts'
import { lookUpsMax, PostgresDatabase, reportsMax, transactionsApart } from './database.ts'
import { aloneSince, laneCreator, takeLease } from './process-lease.ts'
import { assertCannotChangeRecords } from './guard-append-only-tables.ts'
import { readShardGroups, type ShardGroups } from './shard-groups.ts'
import { connectToNodes } from './connect-lanes-to-shard-nodes.ts'
import { readShardTables } from './shard-tables.ts'
import { StoredQuotes } from './stored-quotes.ts'

/**
 * Default number of lanes (ledger connections) of each shard group. With more lanes, batches are smaller, so each call
 * costs more commits (docs/decisions/2026-11-28-ledger-on-postgresql.md).
 */
const lanesDefault = 1
const monthsEveryMs = hourMs

export interface PostgresOptions {
  /** The value of DATABASE_URL. Never appears in an error or a log line. */
  readonly url: string
  readonly nowMs: () => number
  /** Called when the process cannot continue. The process exits without confirming the waiting operations. */
  readonly onFatal: (error: Error) => void
  /** The number of lanes (ledger connections) of each shard group. Defaults to 1. */
  readonly lanes?: number
  readonly queue?: QueueOptions
  /** Rehearses batches before the store is used (batch-warm-up.ts). Called with the error if the rehearsal fails. */
  readonly rehearsal?: { readonly onFailed: (error: unknown) => void } | undefined
  readonly onSwept?: (swept: Swept) => void
  /**
   * Called if the sweeper or the job that creates the next partitions could not reach the database, and for each
   * failure of a sweep. Both try again.
   */
  readonly onSweepFailed?: (error: unknown) => void
  /**
   * `silentMs` is the time after which a process that has not updated its row counts as dead. `beatEveryMs` and
   * `sweepEveryMs` state how often rows are updated and checked.
   */
  readonly lease?: { readonly beatEveryMs: number; readonly silentMs: number; readonly sweepEveryMs: number }
  readonly faults?: InjectFault
}

export interface PostgresStore extends EngineStore {
  readonly sweeper: Sweeper
}

/**
 * Connects, migrates, and registers this process under a new epoch (process number).
 * @throws PostgresError if the database cannot be used
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStore> {
  const { url } = options
  // A migration may take longer than a query usually may, or wait for another process that migrates.
  await withClient({ url, access: 'write', isPatient: true }, async (client) => {
    await assertOwnSession(client, url)
    await migratePostgres(client)
  })
  const own = poolOf({ url, access: 'write' }, 2)
  const writers = poolOf({ url, access: 'write' }, 1)
  const readers = poolOf({ url, access: 'read' }, reportsMax)
  const apart = poolOf({ url, access: 'write' }, 1)
  const connectForLookUps = () => connect({ url, access: 'read', isPipelined: true })
  const lookUps = new LookUpConnections(connectForLookUps, lookUpsMax)
  const pools = [own, writers, readers, apart, lookUps]
  try {
    return await assemble({ own, writers, readers, apart, lookUps }, options)
  } catch (error) {
    await Promise.all(pools.map((pool) => pool.end()))
    throw error
  }
}

interface Connections {
  readonly own: Pool
  readonly writers: Pool
  readonly readers: Pool
  readonly apart: Pool
  readonly lookUps: LookUpConnections
}

async function assemble(
  { apart, lookUps, own, readers, writers }: Connections,
  options: PostgresOptions,
): Promise<PostgresStore> {
  const { faults, nowMs, onFatal, queue, rehearsal, url } = options
  const groups = await readShardGroups(own)
  const { isDistributed } = groups
  if (isDistributed) await assertCannotChangeRecords(own)
  // If a node of a distributed database does not respond, start anyway. Missing partitions are created by the hourly
  // job, or before a batch that needs them.
  const { onSweepFailed = () => {}, onSwept = () => {} } = options
  const reportAwayNode = (error: unknown): void => {
    if (!isDistributed || !isOfAwayNode(error)) throw error
    onSweepFailed(error)
  }
  const months = new Months(own)
  await months.ahead(nowMs()).catch(reportAwayNode)
  const count = options.lanes ?? lanesDefault
  const shardKeys = groups.keys.flatMap((key) => Array.from({ length: count }, () => key))
  const lease = await takeLease({
    pool: own,
    shardKeys: isDistributed ? [] : shardKeys,
    nowMs,
    ...(options.lease && { beatEveryMs: options.lease.beatEveryMs }),
  })
  const lateDays = new LateDays(url)
  // A distributed database rejects some of the statements in a transaction that has written to another node.
  if (rehearsal !== undefined && !isDistributed)
    await rehearse({ url, epoch: lease.epoch, groups, lateDays, months, nowMs, shardKeys }).catch(
      rehearsal.onFailed,
    )
  const owners: CallOwners = new RenewedMap()
  const left = new OrphanedUsage({ pool: own, nowMs, calls: owners, onFatal })
  const ended = new EndedHours()
  const isAlone = aloneSince(own, lease.epoch)
  const hours = new HourMemory(nowMs, {
    async take(throughHour) {
      if (!(await isAlone())) hours.reset()
      return ended.take(throughHour)
    },
    async peek(asked) {
      // Read the sums before the check for other processes. The check then finds every process that could have ended a
      // call before the read. If the check fails, drop the sums: the report's own queries would fail as well.
      const peeked = ended.peek(asked)
      if (!(await isAlone().catch(() => false))) hours.reset()
      return peeked
    },
  })
  const shared: LaneOptions = {
    epoch: lease.epoch,
    groups,
    shardKeys,
    ended,
    connect: await laneConnections(own, { url, groups, epoch: lease.epoch, shardKeys }),
    months,
    owners,
    hints: new PrefetchHints(),
    quotes: new StoredQuotes(own, isDistributed),
    lateDays,
    onFatal: left.begin,
    faults,
  }
  const lanes = shardKeys.map((_, lane) => new PostgresLane(lane, shared))
  const halt: Halt = { reason: null }
  const queues = lanes.map((lane) => new LedgerQueue(new BatchLadder(lane, halt), queue))
  const ledger = new PostgresLedger(queues, groups, { owners, left, lateDays, ownedBy: ownersIn(own) })
  const database = new PostgresDatabase(readers, writers, { isDistributed, lookUps })
  const sweeper = new Sweeper({
    pool: own,
    database,
    ledger,
    epoch: lease.epoch,
    nowMs,
    ...(options.lease && { silentMs: options.lease.silentMs }),
  })
  // End the calls of processes that died before this start. The sweeper detects processes that die later.
  const { calls, failures, grants } = await sweeper.sweep().catch((error: unknown) => {
    reportAwayNode(error)
    return { calls: 0, failures: [], grants: 0 }
  })
  for (const failure of failures) {
    // A stopped ledger rejects every request. A single call or grant that fails must not prevent the start, because the
    // next sweep tries it again.
    if (halt.reason !== null) throw failure
    onSweepFailed(failure)
  }
  sweeper.start(onSwept, onSweepFailed, options.lease?.sweepEveryMs)
  const monthly = setInterval(() => void months.ahead(nowMs()).catch(onSweepFailed), monthsEveryMs)
  monthly.unref()

  const close = async (): Promise<void> => {
    clearInterval(monthly)
    left.close()
    // Stop both concurrently. The sweeper may wait for an operation that the ledger keeps until the database is
    // available again.
    await Promise.all([sweeper.stop(), ledger.close()])
    await lateDays.close()
    try {
      // If this process cannot mark itself as ended, another process does so when all nodes respond.
      await lease.end().catch(reportAwayNode)
    } finally {
      for (const lane of lanes) lane.close()
      await Promise.all([own, readers, writers, apart, lookUps].map((pool) => pool.end()))
    }
  }
  let closing: Promise<void> | null = null
  return {
    database,
    apart: transactionsApart(apart),
    ledger,
    hours,
    recovered: { calls, grants },
    epoch: lease.epoch,
    sweeper,
    close: () => (closing ??= close()),
  }
}

/** Whether the error or its cause means that a node of a distributed database does not respond. */
function isOfAwayNode(error: unknown): boolean {
  if (isTemporary(postgresCode(error))) return true
  return error instanceof Error && error.cause !== undefined && isOfAwayNode(error.cause)
}

async function laneConnections(
  pool: Pool,
  { groups, ...own }: { groups: ShardGroups; url: string; epoch: number; shardKeys: readonly string[] },
): Promise<LaneOptions['connect']> {
  const { shardKeys, url } = own
  // Citus may need the values of the parameters to plan a statement, so a distributed database plans them each time.
  const isPlannedOnce = !groups.isDistributed
  const connectTo = (at: string, isBrief = false) =>
    connect({ url: at, access: 'write', isPipelined: true, isBrief, isPlannedOnce })
  const single = async () => ({ client: await connectTo(url), tables: null })
  if (!groups.isDistributed) return single
  // Connect to nodes only on Citus, because a test can have several groups on a database with one node.
  const connectToShard = (await isOnCitus(pool))
    ? connectToNodes(pool, url, (at) => connectTo(at, true))
    : null
  const create = laneCreator(own)
  return async (lane) => {
    await create(lane)
    if (connectToShard === null) return single()
    const shardKey = shardKeys[lane] ?? ''
    const client = await connectToShard(shardKey)
    try {
      return { client, tables: await readShardTables(client, shardKey) }
    } catch (error) {
      closeConnection(client)
      throw error
    }
  }
}

/** This read needs no lock, because an end user never moves to another application. */
function ownersIn(pool: Pool) {
  return async (applicationId: string, endUserIds: readonly string[]): Promise<ReadonlySet<string>> => {
    try {
      const { rows } = await pool.query<{ id: string }>(
        'SELECT id FROM end_users WHERE application_id = $1 AND id = ANY($2::text[])',
        [applicationId, endUserIds],
      )
      return new Set(rows.map(({ id }) => id))
    } catch (cause) {
      const error = postgresError(cause)
      throw isAway(error.code) ? new StoreUnavailable('read end users', { cause: error }) : error
    }
  }
}
