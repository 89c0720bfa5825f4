import type { Directory } from '#domain/directory.ts'
import type { Ledger } from '#domain/ledger.ts'
import type { Logger } from '#domain/log.ts'
import type { Store } from '#domain/store.ts'
import type { EngineStore } from '#store/sql/engine-store.ts'
import { openPostgres, type PostgresOptions } from '#store/postgres/engine.ts'
import { openSqlite, type SqliteOptions } from '#store/sqlite/engine.ts'
import { fastMs, slowMs, type WriterPlace } from '#store/sqlite/writer-place.ts'
import { sqlDirectory } from '#store/nouns/directory.ts'
import { sqlStore } from '#store/nouns/store.ts'
import type { Config } from './config.ts'
import { foldHourly } from './fold-hourly.ts'

/** The store behind its ports; this file is the only one that knows which engine it is. */
export interface OpenStore {
  readonly ledger: Ledger
  readonly directory: Directory
  readonly rows: Store
  /** Why the store does not answer at the moment; null when it does. */
  fault(): Promise<string | null>
  close(): Promise<void>
}

/** Tests: what goes wrong in the store, when it moves, how long it waits before it tries again, how fast it is taken for dead. */
export type StoreOptions = Pick<SqliteOptions, 'choice' | 'faults' | 'queue'> & {
  readonly postgres?: Pick<PostgresOptions, 'faults' | 'lanes' | 'lease'>
}

export async function openStore(config: Config, log: Logger, options: StoreOptions = {}): Promise<OpenStore> {
  const { databaseUrl } = config
  /** Why and when the last batch of the ledger was not taken; null: it was. */
  let away: { readonly reason: string; readonly atMs: number } | null = null
  const queue: StoreOptions['queue'] = {
    onFault: (err) => log.error({ err }, 'the ledger could not write in the background'),
    onAway: (reason) => {
      const wasAway = away !== null
      away = reason === null ? null : { reason, atMs: performance.now() }
      if (reason === null) log.warn({}, 'the store takes writes again')
      else if (!wasAway) log.error({ reason }, 'the store takes no writes: calls are refused until it does')
    },
    ...options.queue,
  }
  const store =
    databaseUrl === null
      ? await embedded(config, log, { ...options, queue })
      : await onPostgres(databaseUrl, log, { ...options, queue })
  if (store.recovered.calls > 0 || store.recovered.grants > 0) {
    log.warn(store.recovered, 'ended calls and grants that an earlier process left open')
  }
  const rows = sqlStore(store.database)
  const stopFolding = foldHourly(store.database, log)
  return {
    ledger: store.ledger,
    directory: sqlDirectory(store.database),
    rows,
    async fault() {
      try {
        await rows.read.organizations.count()
        if (away === null) return null
        // A disk that is full is read well, and a small write may find room where a batch has none: a while
        // after the last batch that failed it is tried, and calls may come again.
        if (performance.now() - away.atMs < awayMs) return `it takes no writes (${away.reason})`
        await tryWrite(store.database)
        return null
      } catch (cause) {
        // What a driver says may name hosts and users.
        if (databaseUrl !== null) return 'the database does not answer'
        return cause instanceof Error ? cause.message : 'the store does not answer'
      }
    },
    async close() {
      await stopFolding()
      await store.close()
    },
  }
}

/** For so long after it took nothing the store is not asked again. What is kept is sent to it more often. */
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
  thread: `most commits take longer than ${slowMs} ms: the ledger is now written on a thread of its own, where they hold up no stream`,
  inline: `most commits take less than ${fastMs} ms: the ledger is now written on the main thread, which takes less CPU`,
}

function embedded(
  config: Config,
  log: Logger,
  { choice, faults, queue }: StoreOptions,
): Promise<EngineStore> {
  return openSqlite({
    ...(choice && { choice }),
    ...(faults && { faults }),
    ...(queue && { queue }),
    folder: config.dataFolder,
    nowMs: Date.now,
    writer: config.writer,
    onMoved: (place) => log.info({ writer: place }, moved[place]),
    onMoveFault: (err) => log.warn({ err }, 'the ledger’s writer could not move'),
    onFatal: endProcess(log),
  })
}

function onPostgres(url: string, log: Logger, { postgres, queue }: StoreOptions): Promise<EngineStore> {
  return openPostgres({
    ...postgres,
    ...(queue && { queue }),
    url,
    nowMs: Date.now,
    onFatal: endProcess(log),
    onSwept: ({ calls, ended, grants }) => {
      if (calls + ended.length + grants === 0) return
      log.warn({ calls, epochs: ended, grants }, 'ended calls and grants that dead processes left open')
    },
    onSweepFailed: (err) => log.warn({ err }, 'could not look for dead processes; trying again'),
  })
}

function endProcess(log: Logger): (error: Error) => void {
  return (error) => {
    // What is durable is not known any more (a lost fsync, a dead writer), or others have taken over what
    // this process had in flight: nothing may be acknowledged.
    log.error({ err: error }, 'the store cannot go on; the process ends')
    process.exit(70)
  }
}
