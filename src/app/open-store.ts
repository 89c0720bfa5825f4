import type { Directory } from '#domain/directory.ts'
import type { Ledger } from '#domain/ledger.ts'
import type { Logger } from '#domain/log.ts'
import type { Store } from '#domain/store.ts'
import { openSqlite } from '#store/engines/sqlite.ts'
import type { SqliteOptions } from '#store/engines/sqlite.ts'
import { sqlStore } from '#store/nouns/store.ts'
import type { Config } from './config.ts'
import { writerForDisk } from './writer.ts'

/** The store behind its ports; this file is the only one that knows which engine it is. */
export interface OpenStore {
  readonly ledger: Ledger
  readonly directory: Directory
  readonly rows: Store
  /** Why the store does not answer at the moment; null when it does. */
  fault(): Promise<string | null>
  close(): Promise<void>
}

/** Tests: what goes wrong in the store, and how long it waits before it tries again. */
export type StoreOptions = Pick<SqliteOptions, 'faults' | 'queue'>

export async function openStore(config: Config, log: Logger, options: StoreOptions = {}): Promise<OpenStore> {
  const writer = config.writer === 'auto' ? chosen(config.dataFolder, log) : config.writer
  const sqlite = await openSqlite({
    ...options,
    folder: config.dataFolder,
    nowMs: Date.now,
    writer,
    onFatal: (error) => {
      // What is durable is not known any more (a lost fsync, a dead writer): nothing may be acknowledged.
      log.error({ err: error }, 'the store cannot go on; the process ends')
      process.exit(70)
    },
  })
  if (sqlite.recovered.calls > 0 || sqlite.recovered.grants > 0) {
    log.warn(sqlite.recovered, 'finished what a process before this one left open')
  }
  const rows = sqlStore(sqlite.database)
  return {
    ledger: sqlite.ledger,
    directory: sqlite.directory,
    rows,
    async fault() {
      try {
        await rows.read.organizations.count()
        return null
      } catch (cause) {
        return cause instanceof Error ? cause.message : 'the store does not answer'
      }
    },
    close: () => sqlite.close(),
  }
}

function chosen(folder: string, log: Logger): 'thread' | 'inline' {
  const { writer, fsyncMs } = writerForDisk(folder)
  log.info(
    { writer, fsyncMs: Number(fsyncMs.toFixed(3)) },
    'the ledger’s writer was chosen by how fast the disk is',
  )
  return writer
}
