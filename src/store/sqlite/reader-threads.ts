import type { RowReader, RowReaders } from '#store/sql/row-runner-interface.ts'
import { SqliteThread } from './call-connection-thread.ts'
import type { Roles, ThreadData } from './entry-of-connection-thread.ts'
import type { SnapshotOfStart } from './snapshot-of-start.ts'

/** @param onFatal called if a reader ends later */
export type OpenReaders = (data: ThreadData, onFatal: (error: Error) => void) => Promise<ClosableReaders>

export interface ClosableReaders extends RowReaders {
  openSnapshot(): Promise<SnapshotOfStart>
  close(): Promise<void>
}

type Reading = SqliteThread<Roles['reader']>

/**
 * No statement of a list or a report runs on the event loop, whichever thread the writer uses.
 *
 * - All look-ups run on one thread, in order of arrival.
 * - A thread runs one report at a time. The first report opens the first thread. A report that finds all threads busy
 *   opens another one. `SqliteDatabase` limits how many reports run at the same time.
 */
export class SqliteReaders implements ClosableReaders {
  readonly lookUps: RowReader
  readonly reports: RowReader = {
    query: async (sql, parameters) => {
      const thread = this.#idle.pop() ?? this.#openReporter()
      try {
        return await thread.call('query', sql, parameters)
      } finally {
        this.#idle.push(thread)
      }
    },
  }
  readonly #data: ThreadData
  readonly #onFatal: (error: Error) => void
  readonly #threads: Reading[]
  readonly #idle: Reading[] = []

  /** @param onFatal called if a thread dies later; if a thread cannot be opened, the promise rejects instead */
  static async open(data: ThreadData, onFatal: (error: Error) => void): Promise<SqliteReaders> {
    let isReady = false
    const thread = new SqliteThread<Roles['reader']>('reader', data, {
      onFatal: (error) => {
        if (isReady) onFatal(error)
      },
    })
    try {
      await thread.call('ready')
    } catch (error) {
      await thread.close()
      throw error
    }
    isReady = true
    return new SqliteReaders(thread, data, onFatal)
  }

  private constructor(lookUps: Reading, data: ThreadData, onFatal: (error: Error) => void) {
    this.lookUps = { query: (sql, parameters) => lookUps.call('query', sql, parameters) }
    this.#threads = [lookUps]
    this.#data = data
    this.#onFatal = onFatal
  }

  async openSnapshot(): Promise<SnapshotOfStart> {
    // The process does not need the snapshot, so it continues if the thread dies.
    const thread = new SqliteThread<Roles['snapshot']>('snapshot', this.#data, { onFatal: () => {} })
    await thread.call('ready')
    return { sumsSince: (hour) => thread.call('sumsSince', hour), close: () => thread.close() }
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }

  #openReporter(): Reading {
    const thread = new SqliteThread<Roles['reporter']>('reporter', this.#data, { onFatal: this.#onFatal })
    this.#threads.push(thread)
    return thread
  }
}
