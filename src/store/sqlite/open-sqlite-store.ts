/**
 * Opens the embedded store, which is one file. Its writer runs on the main thread or on a separate thread, its readers
 * always on separate threads.
 */
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { EngineStore } from '#store/sql/engine-store-interface.ts'
import { hourMs } from '#money/periods-and-windows.ts'
import type { HourPart } from '#store/sql/hour-sums-interface.ts'
import { HourMemory } from '#store/ledger/track-complete-hours.ts'
import { JoinedHours } from '#store/ledger/join-hour-sums.ts'
import { LedgerQueue } from '#store/ledger/ledger-queue.ts'
import type { QueueOptions } from '#store/ledger/ledger-queue-options.ts'
import { finishGrants, recoverCalls } from '#store/ledger/finish-work-of-dead-process.ts'
import type { InjectFault } from '#store/ledger/faults-injected-by-tests.ts'
import { migrateSqlite } from './migrate.ts'
import { openConnection, scalar, withConnection } from './connection.ts'
import { SqliteDatabase } from './database.ts'
import { sqliteCode } from './classify-sqlite-errors.ts'
import { lockFolder } from './data-folder-lock.ts'
import { type MoveOptions, MovingWriter, type Parts } from './moving-writer.ts'
import { type ClosableReaders, type OpenReaders, SqliteReaders } from './reader-threads.ts'
import { SqliteThread } from './call-connection-thread.ts'
import type { Roles } from './entry-of-connection-thread.ts'
import type { SnapshotOfStart } from './snapshot-of-start.ts'
import { SqliteWriter } from './writing-connection.ts'
import { type WriterChoice, WriterChoiceByCommits, type WriterPlace } from './choose-writer-thread.ts'

export interface SqliteOptions {
  /** The folder is created if it does not exist. */
  readonly folder: string
  readonly nowMs: () => number
  /**
   * With `auto`, the writer starts on the calling thread, and moves according to the duration of commits
   * (choose-writer-thread.ts).
   */
  readonly writer?: WriterPlace | 'auto'
  /**
   * With `auto`, called after each move of the writer. If a move fails, the writer stays where it is, and only
   * `onMoveFault` is called.
   */
  readonly onMoved?: (place: WriterPlace) => void
  readonly onMoveFault?: (error: Error) => void
  /** For tests with `auto`: chooses the writer's thread instead of the duration of commits. */
  readonly choice?: WriterChoice
  /** Called when the store cannot continue. The process exits without confirming the waiting operations. */
  readonly onFatal: (error: Error) => void
  readonly queue?: QueueOptions
  /** For tests: opens readers without threads, which take most of the time of a test to start. */
  readonly openReaders?: OpenReaders | undefined
  /**
   * Tests inject faults with this function. The writer then always runs on the calling thread, because a function
   * cannot be sent to another thread.
   */
  readonly faults?: InjectFault
}

/**
 * A commit costs as much CPU as seven calls, so a busy ledger waits for more operations
 * (ledger/when-to-start-batch.ts).
 */
const gatherMs = 2

export function sqlitePath(folder: string): string {
  return join(folder, 'tollgate.db')
}

/** @throws if the folder contains no store; opening a connection would then create an empty file */
export function pathOfExistingStore(folder: string): string {
  const path = sqlitePath(folder)
  if (!existsSync(path)) throw new Error(`the folder ${folder} contains no store`)
  return path
}

/** Opens, locks and migrates the store of a data folder, and ends the calls that a crash left open. */
export async function openSqlite(options: SqliteOptions): Promise<EngineStore> {
  try {
    return await openIn(options)
  } catch (cause) {
    if (!isOfFullDisk(cause)) throw cause
    throw new Error(
      `The disk of the data folder ${options.folder} is full. Free some space, and start the server again`,
      { cause },
    )
  }
}

/** Whether the error or its cause means that the disk is full. */
function isOfFullDisk(error: unknown): boolean {
  if (sqliteCode(error) === 'full') return true
  return error instanceof Error && error.cause !== undefined && isOfFullDisk(error.cause)
}

async function openIn(options: SqliteOptions): Promise<EngineStore> {
  const { folder, nowMs } = options
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const unlock = lockFolder(folder)
  let parts: Parts | null = null
  let readers: ClosableReaders | null = null
  let snapshot: SnapshotOfStart | null = null
  try {
    const path = sqlitePath(folder)
    const epoch = await prepareFile(path, nowMs())
    const onSumsLeft = (left: Promise<readonly HourPart[]>): void => sums.addLater(left, () => hours.reset())
    parts = await openParts(path, epoch, { ...options, onSumsLeft })
    const { writer } = parts
    const sums = new JoinedHours({
      take: (throughHour) => writer.takeHours(throughHour),
      peek: (asked) => writer.peekHours(asked),
    })
    const hours = new HourMemory(nowMs, sums)
    const { openReaders = (data, failed) => SqliteReaders.open(data, failed) } = options
    readers = await openReaders({ path, epoch }, options.onFatal)
    if (epoch > 1) snapshot = await readers.openSnapshot()
    const store = await assemble({ ...parts, readers, hours, snapshot }, epoch, options, unlock)
    if (snapshot !== null) void addEarlierCalls(snapshot, { sums, hours, nowMs })
    return store
  } catch (error) {
    await snapshot?.close()
    await readers?.close()
    await parts?.close()
    unlock()
    throw error
  }
}

/**
 * Adds the sums of the current hour's calls that earlier processes ended. Until then, and if this fails, reports read
 * these calls one by one.
 */
async function addEarlierCalls(
  snapshot: SnapshotOfStart,
  { hours, nowMs, sums }: { sums: JoinedHours; hours: HourMemory; nowMs: () => number },
): Promise<void> {
  const hour = Math.floor(nowMs() / hourMs)
  try {
    const parts = await snapshot.sumsSince(hour)
    if (parts === null || (sums.takenHour ?? -1) >= hour) return
    sums.add(parts)
    hours.completeSince(hour)
  } catch {
    // The store was closed, or the disk failed, which the next writes will report.
  } finally {
    await snapshot.close().catch(() => {})
  }
}

async function assemble(
  parts: Parts & {
    readonly readers: ClosableReaders
    readonly hours: HourMemory
    readonly snapshot: SnapshotOfStart | null
  },
  epoch: number,
  { nowMs, queue }: SqliteOptions,
  unlock: () => void,
): Promise<EngineStore> {
  const database = new SqliteDatabase(parts.readers, parts.writer)
  const ledger = new LedgerQueue(parts.writer, { gatherMs, ...queue })
  const calls = await recoverCalls(ledger, await parts.writer.openOfOthers(), nowMs())
  const grants = await finishGrants(database, ledger)
  const close = async (): Promise<void> => {
    try {
      await ledger.close()
      await database.transaction((tx) =>
        tx.updateTable('epochs').set({ ended_at_ms: nowMs() }).where('epoch', '=', epoch).execute(),
      )
    } finally {
      await parts.snapshot?.close()
      await parts.readers.close()
      await parts.close()
      unlock()
    }
  }
  let closing: Promise<void> | null = null
  return {
    database,
    apart: database,
    ledger,
    hours: parts.hours,
    epoch,
    recovered: { calls, grants },
    close: () => (closing ??= close()),
  }
}

/** Opening an empty file would create a new store, and SQLite would delete the log with its commits. */
function assertHasFileOfLog(path: string): void {
  const log = `${path}-wal`
  if (sizeOf(path) > 0 || sizeOf(log) === 0) return
  throw new Error(
    `${path} is missing or empty, but its log ${log} is not empty. Put the file back, because the log has its last commits. To create a new store, move the log to another folder`,
  )
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/**
 * Begins a new epoch (registration of the process). Holds of earlier epochs belong to dead processes
 * (docs/reference/rules.md "A process that dies").
 */
function prepareFile(path: string, nowMs: number): Promise<number> {
  assertHasFileOfLog(path)
  return withConnection(path, 'write', (connection) => {
    chmodSync(path, 0o600)
    migrateSqlite(connection)
    return beginEpoch(connection, nowMs)
  })
}

function beginEpoch(connection: DatabaseSync, nowMs: number): number {
  const epoch = Number(scalar(connection, 'SELECT coalesce(max(epoch), 0) + 1 FROM epochs'))
  // This process has the lock of the folder, so all earlier processes have ended.
  connection.prepare('UPDATE epochs SET ended_at_ms = ? WHERE ended_at_ms IS NULL').run(nowMs)
  connection.prepare('INSERT INTO epochs (epoch, started_at_ms) VALUES (?, ?)').run(epoch, nowMs)
  return epoch
}

type OnCommit = (durationMs: number) => void

async function openParts(
  path: string,
  epoch: number,
  options: SqliteOptions & Pick<MoveOptions, 'onSumsLeft'>,
): Promise<Parts> {
  const {
    choice = new WriterChoiceByCommits(),
    faults,
    onMoved,
    onMoveFault,
    onSumsLeft,
    writer = 'thread',
  } = options
  const open = async (place: WriterPlace, onCommit?: OnCommit): Promise<Parts> =>
    place === 'inline' || faults !== undefined
      ? inlineWriter(path, epoch, options, onCommit)
      : threadedWriter(path, epoch, options, onCommit)
  if (writer !== 'auto') return open(writer)
  const moving = await MovingWriter.open({ open, choice, onMoved, onSumsLeft, onFault: onMoveFault })
  return { writer: moving, close: () => moving.close() }
}

function inlineWriter(
  path: string,
  epoch: number,
  { onFatal, faults }: SqliteOptions,
  onCommit: OnCommit | undefined,
): Parts {
  const writer = new SqliteWriter(openConnection(path, 'write'), { epoch, onFatal, onCommit, faults })
  return { writer, close: async () => writer.close() }
}

async function threadedWriter(
  path: string,
  epoch: number,
  options: SqliteOptions,
  onCommit: OnCommit | undefined,
): Promise<Parts> {
  let isReady = false
  // A thread that fails to start has changed nothing, so opening the store fails, but the process need not exit.
  const onFatal = (error: Error): void => {
    if (isReady) options.onFatal(error)
  }
  const writing = new SqliteThread<Roles['writer']>('writer', { path, epoch }, { onFatal, onCommit })
  const close = (): Promise<void> => writing.close()
  try {
    await writing.call('ready')
  } catch (error) {
    await close()
    throw error
  }
  isReady = true
  return {
    writer: {
      run: (operations) => writing.call('run', operations),
      resolve: () => writing.call('resolve'),
      openOfOthers: () => writing.call('openOfOthers'),
      takeHours: (throughHour) => writing.call('takeHours', throughHour),
      peekHours: (asked) => writing.call('peekHours', asked),
      writeSlots: () => writing.call('writeSlots'),
      begin: () => writing.call('begin'),
      query: (transaction, sql, parameters) => writing.call('query', transaction, sql, parameters),
      commit: (transaction, touched) => writing.call('commit', transaction, touched),
      rollback: (transaction) => writing.call('rollback', transaction),
    },
    close,
  }
}
