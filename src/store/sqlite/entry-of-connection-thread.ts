/**
 * Runs on a thread that owns one connection, for the writer or a reader. An fsync on a slow disk or a long list
 * therefore never blocks the event loop, which streams responses. The threads exchange only plain data, by structured
 * clone (docs/decisions/2026-11-23-thread-of-the-ledger-writer.md).
 */
import assert from 'node:assert/strict'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { openConnection } from './connection.ts'
import { type SqliteCode, sqliteCode } from './classify-sqlite-errors.ts'
import { SqliteReader } from './reading-connection.ts'
import type { SqliteSnapshot } from './snapshot-of-start.ts'
import type { SqliteWriter } from './writing-connection.ts'

export interface ThreadData {
  readonly path: string
  readonly epoch: number
}

export interface Roles {
  writer: SqliteWriter & Opened
  reader: SqliteReader & Opened
  /** Runs the reads of lists and reports. */
  reporter: SqliteReader & Opened
  /** Reads the calls of earlier processes once, after a start. */
  snapshot: SqliteSnapshot & Opened
}

interface Opened {
  /** Returns after the thread has opened the data folder. */
  ready(): void
}

export type Call = readonly [id: number, method: string, parameters: readonly unknown[]]

export type Message =
  /** Duration of the last commit since the previous message of this kind. Null if no commit ran. */
  | {
      readonly kind: 'answer'
      readonly id: number
      readonly value: unknown
      readonly commitMs: number | null
    }
  | ({ readonly kind: 'error'; readonly id: number } & SentError)
  | ({ readonly kind: 'fatal' } & SentError)

/** Structured clone keeps an error's message but drops its code. */
interface SentError {
  readonly code: SqliteCode
  readonly message: string
}

/** A value for `nice`: 0 is the default priority, 19 the lowest. */
const niceness = 5

/** Sent with the next answer, because a separate message would cost both threads about as much as an answer. */
let commitMs: number | null = null
const port = parentPort
assert(port !== null, 'entry-of-connection-thread.ts was not started as a thread')
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only call-connection-thread.ts starts this file
const { role, path, epoch } = workerData as ThreadData & { role: keyof Roles }
// With few cores, calls take precedence over reports. Only Linux has priorities by thread.
if (role !== 'writer' && role !== 'reader' && process.platform === 'linux') setPriority(niceness)
const asked = Object.assign(await connectionFor(role), { ready: () => {} })

port.on('message', (call: Call) => void answer(call))

async function answer([id, name, parameters]: Call): Promise<void> {
  try {
    const method: unknown = Reflect.get(asked, name)
    assert(typeof method === 'function', `the ${role} thread has no method ${name}`)
    const value: unknown = await Reflect.apply(method, asked, parameters)
    send({ kind: 'answer', id, value, commitMs })
    commitMs = null
  } catch (error) {
    send({ kind: 'error', id, ...sentError(error) })
  }
}

function sentError(error: unknown): SentError {
  const message = error instanceof Error ? error.message : String(error)
  return { code: sqliteCode(error) ?? 'other', message }
}

function send(message: Message): void {
  port?.postMessage(message)
}

async function connectionFor(of: keyof Roles): Promise<SqliteWriter | SqliteReader | SqliteSnapshot> {
  if (of === 'reader' || of === 'reporter') return new SqliteReader(openConnection(path, 'read'))
  // Without the code of the other roles, a reader starts in a third of the time.
  if (of === 'snapshot') {
    const { SqliteSnapshot } = await import('./snapshot-of-start.ts')
    return new SqliteSnapshot(openConnection(path, 'read'))
  }
  const { SqliteWriter } = await import('./writing-connection.ts')
  return new SqliteWriter(openConnection(path, 'write'), {
    epoch,
    onFatal: (error) => send({ kind: 'fatal', ...sentError(error) }),
    onCommit: (durationMs) => void (commitMs = durationMs),
  })
}
