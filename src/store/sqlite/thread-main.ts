/**
 * A thread that owns one connection: the writer's or the reader's. Neither an fsync on a slow disk
 * nor a long list then stops the event loop that streams answers.
 */
import assert from 'node:assert/strict'
import { parentPort, workerData } from 'node:worker_threads'
import { type AnswerMessage, type BatchMessage, BatchReceiver, encodeAnswer } from './thread-messages.ts'
import type { Parameter, RowsAnswer } from '#store/sql/row-runner.ts'
import { openConnection } from './connection.ts'
import { type SqliteCode, sqliteCode } from './error.ts'
import { SqliteRows } from './row-runner.ts'
import { SqliteWriter } from './writer.ts'

export type Role = 'writer' | 'reader'

export interface ThreadData {
  readonly path: string
  readonly epoch: number
}

export type Call =
  /** Answered when the thread has opened the data. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'run'; readonly batch: BatchMessage }
  | { readonly kind: 'resolve' }
  | { readonly kind: 'open_of_others' }
  | { readonly kind: 'read'; readonly sql: string; readonly parameters: readonly Parameter[] }
  | { readonly kind: 'begin' }
  | {
      readonly kind: 'query'
      readonly transaction: number
      readonly sql: string
      readonly parameters: readonly Parameter[]
    }
  | { readonly kind: 'commit'; readonly transaction: number; readonly touched: readonly string[] | null }
  | { readonly kind: 'rollback'; readonly transaction: number }
  | { readonly kind: 'close' }

/** What each kind of call is answered with. */
export interface Answers {
  ready: null
  /** Null: nothing was committed. */
  run: { readonly answer: AnswerMessage; readonly commitMs: number | null }
  resolve: AnswerMessage
  open_of_others: string[]
  read: RowsAnswer
  begin: number
  query: RowsAnswer
  commit: void
  rollback: void
  close: void
}

/** Call number, then the answer or what went wrong; number 0: the store cannot go on. */
export type Answer =
  | readonly [id: number, isError: false, value: unknown]
  | readonly [id: number, isError: true, value: { readonly code: SqliteCode; readonly message: string }]

type Handler = (call: Call) => unknown

const port = parentPort
assert(port !== null, 'this file runs as a thread')
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only thread.ts starts this file, with just this
const { role, path, epoch } = workerData as ThreadData & { role: Role }
const handle = role === 'writer' ? writerHandler() : readerHandler()

port.on('message', (message: readonly [number, Call]) => {
  const [id, call] = message
  void answer(id, call)
})

async function answer(id: number, call: Call): Promise<void> {
  try {
    send([id, false, await handle(call)])
  } catch (error) {
    sendError(id, error)
  }
}

function sendError(id: number, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  send([id, true, { code: sqliteCode(error) ?? 'other', message }])
}

function send(message: Answer): void {
  port?.postMessage(message)
}

function writerHandler(): Handler {
  const onFatal = (error: Error): void => sendError(0, error)
  let commitMs: number | null = null
  const onCommit = (durationMs: number): void => {
    commitMs = durationMs
  }
  const writer = new SqliteWriter(openConnection(path, 'write'), { epoch, onFatal, onCommit })
  const receiver = new BatchReceiver()
  return async (call) => {
    switch (call.kind) {
      case 'ready':
        return null
      case 'run': {
        commitMs = null
        const answered = await writer.run(receiver.decode(call.batch))
        return { answer: encodeAnswer(answered), commitMs }
      }
      case 'resolve':
        return encodeAnswer(await writer.resolve())
      case 'open_of_others':
        return writer.openOfOthers()
      case 'begin':
        return writer.begin()
      case 'query':
        return writer.query(call.transaction, call.sql, call.parameters)
      case 'commit':
        return writer.commit(call.transaction, call.touched)
      case 'rollback':
        return writer.rollback(call.transaction)
      case 'close':
        return writer.close()
      default:
        throw new Error(`the writer takes no ${call.kind}`)
    }
  }
}

function readerHandler(): Handler {
  const connection = openConnection(path, 'read')
  const rows = new SqliteRows(connection)
  return (call) => {
    switch (call.kind) {
      case 'ready':
        return null
      case 'read':
        return rows.run(call.sql, call.parameters)
      case 'close':
        return connection.close()
      default:
        throw new Error(`the reader takes no ${call.kind}`)
    }
  }
}
