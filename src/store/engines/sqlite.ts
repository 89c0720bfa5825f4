/** The embedded store: one file, one writer on a thread of its own, one reader on another. */
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '#store/database.ts'
import { migrateSqlite } from '#store/migrate.ts'
import type { RowReader, RowWriter } from './rows.ts'
import { openConnection } from './sqlite-connection.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { lockFolder } from './sqlite-lock.ts'
import { SqliteRows } from './sqlite-rows.ts'
import { SqliteThread } from './sqlite-thread.ts'
import { SqliteWriter } from './sqlite-writer.ts'

export interface SqliteOptions {
  /** Made if it is missing. */
  readonly folder: string
  /** `inline`: on the calling thread, for tests that must see every step. */
  readonly writer?: 'thread' | 'inline'
  /** The store cannot go on: the process ends without acknowledging what waits. */
  readonly onFatal: (error: Error) => void
}

export interface SqliteStore {
  readonly database: Database
  /** Waits for what is running, then closes the file and gives the folder back. */
  close(): Promise<void>
}

export function sqlitePath(folder: string): string {
  return join(folder, 'tollgate.db')
}

/** Opens, locks and migrates the store of a data folder. */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStore> {
  const { folder } = options
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const unlock = lockFolder(folder)
  try {
    const path = sqlitePath(folder)
    const connection = openConnection(path, 'write')
    chmodSync(path, 0o600)
    migrateSqlite(connection)
    connection.close()
    const parts = options.writer === 'inline' ? inlineStore(path) : threadedStore(path, options.onFatal)
    return {
      database: new SqliteDatabase(parts.reader, parts.writer),
      async close() {
        await parts.close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

interface Parts {
  readonly reader: RowReader
  readonly writer: RowWriter
  close(): Promise<void>
}

function inlineStore(path: string): Parts {
  const writer = new SqliteWriter(openConnection(path, 'write'))
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

function threadedStore(path: string, onFatal: (error: Error) => void): Parts {
  const writing = new SqliteThread('writer', { path }, onFatal)
  const reading = new SqliteThread('reader', { path }, onFatal)
  return {
    reader: threadReader(reading),
    writer: threadWriter(writing),
    async close() {
      await reading.close()
      await writing.close()
    },
  }
}

function threadReader(thread: SqliteThread): RowReader {
  return { query: (sql, parameters) => thread.call({ kind: 'read', sql, parameters }) }
}

function threadWriter(thread: SqliteThread): RowWriter {
  return {
    begin: () => thread.call({ kind: 'begin' }),
    query: (transaction, sql, parameters) => thread.call({ kind: 'query', transaction, sql, parameters }),
    commit: (transaction, touched) => thread.call({ kind: 'commit', transaction, touched }),
    rollback: (transaction) => thread.call({ kind: 'rollback', transaction }),
  }
}
