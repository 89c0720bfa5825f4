import type { BackgroundHolds } from '#domain/background/background-holds-interface.ts'
import type { Directory } from '#domain/gateway-directory-interface.ts'
import type { EmitterProgress } from '#domain/emitters/emitter-records-and-ports.ts'
import type { SliceStore } from '#domain/limits/shared-limit-slices-interface.ts'
import type { Ledger, SettleRequest } from '#domain/ledger-interface.ts'
import type { Notices } from '#domain/messages-between-processes-interface.ts'
import type { Logger } from '#domain/log-interface.ts'
import type { Store } from '#domain/store-interface.ts'
import type { EngineStore } from '#store/sql/engine-store-interface.ts'
import { openPostgres, type PostgresOptions } from '#store/postgres/open-postgres-store.ts'
import { PostgresNotices } from '#store/postgres/listen-and-notify.ts'
import { openSqlite, type SqliteOptions } from '#store/sqlite/open-sqlite-store.ts'
import { fastMs, slowMs, type WriterPlace } from '#store/sqlite/choose-writer-thread.ts'
import { sqlBackgroundHolds } from '#store/nouns/background-holds.ts'
import { emitterProgress } from '#store/nouns/emitter-progress.ts'
import { sqlDirectory } from '#store/nouns/gateway-lookups.ts'
import { sqlSlices } from '#store/nouns/limits/shared-limit-slices.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { foldCallHours } from '#store/call-sums-by-hour.ts'
import { foldSpending } from '#store/sum-spending-of-keys.ts'
import { foldUsageDays } from '#store/usage-sums-by-day.ts'
import { migrationsFor } from '#store/migrations/list-and-load-migrations.ts'
import type { Collectors } from '#telemetry/process-and-store-gauges.ts'
import type { Config } from './server-configuration.ts'
import { runHourly } from './run-hourly.ts'

/** Only this file knows which database engine is used. */
export interface OpenStore {
  readonly ledger: Ledger
  readonly directory: Directory
  readonly background: BackgroundHolds
  readonly slices: SliceStore
  readonly rows: Store
  readonly emitters: EmitterProgress
  /** The epoch (process number): the ID of the process's row in `epochs`. */
  readonly epoch: number
  /** Whether ended requests cannot be settled or released yet, because the store is unavailable. */
  readonly isLedgerAway: boolean
  /** Whether so many operations wait for a commit that a new request of the application would wait long. */
  isLedgerBusyFor(applicationId: string): boolean
  /** Calls the listener for each settled request, after the charge is durable. A second listener replaces the first. */
  onSettled(listener: (settle: SettleRequest) => void): void
  /**
   * Calls the listener after this process has taken over the holds of ended processes. A second listener replaces the
   * first.
   */
  onTakenOver(listener: () => void): void
  /** Null if the server has no other processes. */
  readonly notices: Notices | null
  fault(): Promise<string | null>
  /** Null if the store has all migrations of this program, or is of a newer version. */
  migrationFault(): Promise<string | null>
  queue(): ReturnType<Collectors['queue']>
  close(): Promise<void>
}

/**
 * Time from the end of an hour until the sums of its calls are written. By then, all calls of the hour are stored
 * (call-sums-by-hour.ts, usage-sums-by-day.ts). Processes that share a database write at different times, so that only
 * the first process reads the calls.
 */
const foldAfterHourMs = 6 * 60_000
const foldSpreadMs = 4 * 60_000

export type StoreOptions = Pick<SqliteOptions, 'choice' | 'faults' | 'openReaders' | 'queue'> & {
  readonly postgres?: Pick<PostgresOptions, 'faults' | 'lanes' | 'lease'>
}

export async function openStore(config: Config, log: Logger, options: StoreOptions = {}): Promise<OpenStore> {
  const { databaseUrl } = config
  /** Null if the last batch was accepted. */
  let away: { readonly reason: string; readonly atMs: number } | null = null
  let settled: (settle: SettleRequest) => void = () => {}
  let takenOver = (): void => {}
  const queue: StoreOptions['queue'] = {
    onSettled: (settle) => settled(settle),
    onFault: (err) => log.error({ err }, 'background write of the ledger failed'),
    onAway: (reason) => {
      const wasAway = away !== null
      away = reason === null ? null : { reason, atMs: performance.now() }
      if (reason === null) log.warn({}, 'the store accepts writes again')
      else if (!wasAway)
        log.error(
          { reason },
          'the store accepts no writes; requests are rejected until the store accepts writes again',
        )
    },
    ...options.queue,
  }
  const store =
    databaseUrl === null
      ? await embedded(config, log, { ...options, queue })
      : await onPostgres({ ...config, databaseUrl }, log, { ...options, queue }, () => takenOver())
  if (store.recovered.calls > 0 || store.recovered.grants > 0) {
    log.warn(store.recovered, 'ended requests and grants that an earlier process left open')
  }
  const rows = sqlStore(store.database, store.hours)
  const known = migrationsFor(databaseUrl === null ? 'sqlite' : 'postgres').length
  const fold = async (ending: AbortSignal): Promise<void> => {
    await foldUsageDays(store.database, Date.now(), ending)
    await foldSpending(store.database, ending)
    await foldCallHours(store.database, Date.now(), store.hours, ending)
  }
  const stopFolding = runHourly(
    fold,
    (err) => log.warn({ err }, 'computing the sums of past days and hours failed; retrying in an hour'),
    foldAfterHourMs + Math.random() * foldSpreadMs,
  )
  const notices = databaseUrl === null ? null : new PostgresNotices(databaseUrl)
  return {
    notices,
    ledger: store.ledger,
    directory: sqlDirectory(store.database),
    background: sqlBackgroundHolds(store.database, store.epoch),
    slices: sqlSlices(store.apart, store.epoch),
    rows,
    emitters: emitterProgress(store.database),
    epoch: store.epoch,
    get isLedgerAway() {
      return store.ledger.isAway
    },
    isLedgerBusyFor: (applicationId) => store.ledger.isBusyFor(applicationId),
    onSettled(listener) {
      settled = listener
    },
    onTakenOver(listener) {
      takenOver = listener
    },
    async fault() {
      try {
        await rows.read.organizations.count()
        if (away === null) return null
        // The store still counts as available without one of its nodes, because the other nodes serve their end users.
        if ((await rows.read.diagnosis.nodesAway()).length > 0) return null
        // On a full disk, reads and small writes may still succeed, so a failed batch counts as a fault for some time.
        // After that time, requests may try to write again.
        if (performance.now() - away.atMs < awayMs) return `it accepts no writes (${away.reason})`
        await tryWrite(store.database)
        return null
      } catch (cause) {
        // A driver's message may contain hosts and user names.
        if (databaseUrl !== null) return 'the database does not respond'
        return cause instanceof Error ? cause.message : 'the store does not respond'
      }
    },
    async migrationFault() {
      const version = await rows.read.diagnosis.schemaVersion()
      return version >= known ? null : `the store is at version ${version}, and this program needs ${known}`
    },
    queue: () => ({
      waiting: store.ledger.waitingCount,
      kept: store.ledger.keptCount,
      recordsDropped: store.ledger.recordsDropped,
    }),
    async close() {
      try {
        await stopFolding()
        await notices?.close()
      } finally {
        await store.close()
      }
    },
  }
}

/**
 * How long the store counts as unavailable after a rejected batch. Operations that wait for the store are retried more
 * often.
 */
const awayMs = 10_000

async function tryWrite(database: EngineStore['database']): Promise<void> {
  await database.transaction((tx) =>
    tx
      .updateTable('usage_fold')
      .set((eb) => ({ through_day: eb.ref('through_day') }))
      .execute(),
  )
}

const moved: Readonly<Record<WriterPlace, string>> = {
  thread: `most commits take longer than ${slowMs} ms; the ledger is now written on a separate thread, so that commits do not delay streams`,
  inline: `most commits take less than ${fastMs} ms; the ledger is now written on the main thread, which uses less CPU`,
}

function embedded(
  config: Config,
  log: Logger,
  { choice, faults, openReaders, queue }: StoreOptions,
): Promise<EngineStore> {
  return openSqlite({
    ...(choice && { choice }),
    ...(faults && { faults }),
    ...(openReaders && { openReaders }),
    ...(queue && { queue }),
    folder: config.dataFolder,
    nowMs: Date.now,
    writer: config.writer,
    onMoved: (place) => log.info({ writer: place }, moved[place]),
    onMoveFault: (err) => log.warn({ err }, 'moving the writer of the ledger failed'),
    onFatal: endProcess(log),
  })
}

function onPostgres(
  { databaseUrl: url, warmsUp }: Config & { readonly databaseUrl: string },
  log: Logger,
  { postgres, queue }: StoreOptions,
  onTakenOver: () => void,
): Promise<EngineStore> {
  return openPostgres({
    ...postgres,
    ...(queue && { queue }),
    url,
    nowMs: Date.now,
    rehearsal: warmsUp ? { onFailed: warnOfRehearsal(log) } : undefined,
    onFatal: endProcess(log),
    onSwept: ({ calls, ended, grants, takenOver }) => {
      if (takenOver > 0) onTakenOver()
      if (calls + ended.length + grants + takenOver === 0) return
      log.warn(
        { calls, epochs: ended, grants, takenOver },
        'ended or took over requests and grants that stopped processes left open',
      )
    },
    onSweepFailed: (err) => log.warn({ err }, 'background work of the store failed; retrying'),
  })
}

function warnOfRehearsal(log: Logger): (err: unknown) => void {
  return (err) => log.warn({ err }, 'the warm-up of the database failed; the first requests will take longer')
}

function endProcess(log: Logger): (error: Error) => void {
  return (error) => {
    // The process must not confirm any further request. Either the durable writes are unknown (a lost fsync, a dead
    // writer), or another process has taken over this process's requests.
    log.error({ err: error }, 'the store cannot continue; the process exits')
    process.exit(70)
  }
}
