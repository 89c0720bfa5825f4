/** The embedded store: one file, one writer on a thread of its own, one reader on another. */
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { sqlDirectory } from '#store/directory.ts'
import type { EngineStore } from '#store/engine-store.ts'
import { BatchSender, decodeAnswer } from '#store/ledger/messages.ts'
import type { LedgerEngine } from '#store/ledger/operations.ts'
import { LedgerQueue, type QueueOptions } from '#store/ledger/queue.ts'
import { finishGrants, recoverCalls } from '#store/ledger/restart.ts'
import type { Fault, FaultPoint } from '#store/ledger/sqlite.ts'
import { migrateSqlite } from '#store/migrate.ts'
import type { RowReader, RowWriter } from './rows.ts'
import { openConnection, scalar } from './sqlite-connection.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { lockFolder } from './sqlite-lock.ts'
import { SqliteRows } from './sqlite-rows.ts'
import { SqliteThread } from './sqlite-thread.ts'
import { SqliteWriter } from './sqlite-writer.ts'

export interface SqliteOptions {
  /** Made if it is missing. */
  readonly folder: string
  readonly nowMs: () => number
  /** `inline`: on the calling thread, for tests that must see every step. */
  readonly writer?: 'thread' | 'inline'
  /** The store cannot go on: the process ends without acknowledging what waits. */
  readonly onFatal: (error: Error) => void
  readonly queue?: QueueOptions
  /** Inline only, for tests: what goes wrong at this step, null: nothing. */
  readonly faults?: (point: FaultPoint) => Fault | null
}

export function sqlitePath(folder: string): string {
  return join(folder, 'tollgate.db')
}

/** Opens, locks and migrates the store of a data folder, and finishes what a crash left open. */
export async function openSqlite(options: SqliteOptions): Promise<EngineStore> {
  const { folder, nowMs } = options
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const unlock = lockFolder(folder)
  let parts: Parts | null = null
  try {
    const path = sqlitePath(folder)
    const epoch = prepareFile(path, nowMs())
    parts =
      options.writer === 'inline' ? inlineStore(path, epoch, options) : threadedStore(path, epoch, options)
    return await assemble(parts, epoch, options, unlock)
  } catch (error) {
    await parts?.close()
    unlock()
    throw error
  }
}

async function assemble(
  parts: Parts,
  epoch: number,
  { nowMs, queue }: SqliteOptions,
  unlock: () => void,
): Promise<EngineStore> {
  const database = new SqliteDatabase(parts.reader, parts.writer)
  const ledger = new LedgerQueue(parts.writer, queue)
  const calls = await recoverCalls(ledger, await parts.writer.openOfOthers(), nowMs())
  const grants = await finishGrants(database, ledger)
  const close = async (): Promise<void> => {
    try {
      await ledger.close()
      await database.transaction((tx) =>
        tx.updateTable('epochs').set({ ended_at_ms: nowMs() }).where('epoch', '=', epoch).execute(),
      )
    } finally {
      await parts.close()
      unlock()
    }
  }
  let closing: Promise<void> | null = null
  return {
    database,
    ledger,
    directory: sqlDirectory(database),
    recovered: { calls, grants },
    close: () => (closing ??= close()),
  }
}

/** Migrates the file and begins a new epoch: whose holds are whose (design 3.5). */
function prepareFile(path: string, nowMs: number): number {
  const connection = openConnection(path, 'write')
  try {
    chmodSync(path, 0o600)
    migrateSqlite(connection)
    return beginEpoch(connection, nowMs)
  } finally {
    connection.close()
  }
}

function beginEpoch(connection: DatabaseSync, nowMs: number): number {
  const epoch = Number(scalar(connection, 'SELECT coalesce(max(epoch), 0) + 1 FROM epochs'))
  connection.prepare('INSERT INTO epochs (epoch, started_at_ms) VALUES (?, ?)').run(epoch, nowMs)
  return epoch
}

interface Parts {
  readonly reader: RowReader
  readonly writer: RowWriter & LedgerEngine & { openOfOthers(): Promise<string[]> }
  close(): Promise<void>
}

function inlineStore(path: string, epoch: number, { onFatal, faults }: SqliteOptions): Parts {
  const writer = new SqliteWriter(openConnection(path, 'write'), { epoch, onFatal, faults })
  const reading = openConnection(path, 'read')
  const rows = new SqliteRows(reading)
  return {
    reader: { query: async (sql, parameters) => rows.run(sql, parameters) },
    writer,
    async close() {
      reading.close()
      writer.close()
    },
  }
}

function threadedStore(path: string, epoch: number, { onFatal }: SqliteOptions): Parts {
  const writing = new SqliteThread('writer', { path, epoch }, onFatal)
  const reading = new SqliteThread('reader', { path, epoch }, onFatal)
  return {
    reader: { query: (sql, parameters) => reading.call({ kind: 'read', sql, parameters }) },
    writer: threadWriter(writing),
    async close() {
      await reading.close()
      await writing.close()
    },
  }
}

function threadWriter(thread: SqliteThread): Parts['writer'] {
  const sender = new BatchSender()
  return {
    begin: () => thread.call({ kind: 'begin' }),
    query: (transaction, sql, parameters) => thread.call({ kind: 'query', transaction, sql, parameters }),
    commit: (transaction, touched) => thread.call({ kind: 'commit', transaction, touched }),
    rollback: (transaction) => thread.call({ kind: 'rollback', transaction }),
    run: async (operations) =>
      decodeAnswer(await thread.call({ kind: 'run', batch: sender.encode(operations) })),
    resolve: async () => decodeAnswer(await thread.call({ kind: 'resolve' })),
    openOfOthers: () => thread.call({ kind: 'open_of_others' }),
  }
}
