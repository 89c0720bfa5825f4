import { Worker } from 'node:worker_threads'
import { SqliteError } from './error.ts'
import type { Answer, Answers, Call, Role, ThreadData } from './thread-main.ts'

interface Pending {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** This side of a database thread: calls out, answers back, in the order they were made. */
export class SqliteThread {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  readonly #onFatal: (error: Error) => void
  #calls = 0
  #isClosed = false

  /** @param onFatal the thread has ended by itself, or cannot go on: what became of its last work is not known */
  constructor(role: Role, data: ThreadData, onFatal: (error: Error) => void) {
    this.#onFatal = onFatal
    this.#worker = new Worker(new URL('./thread-main.ts', import.meta.url), {
      workerData: { role, ...data },
    })
    this.#worker.on('message', (answer: Answer) => this.#receive(answer))
    this.#worker.on('error', (cause: unknown) => {
      if (!this.#isClosed) this.#die(new Error(`the ${role} thread of the store has died`, { cause }))
    })
  }

  call<C extends Call>(call: C): Promise<Answers[C['kind']]> {
    if (this.#isClosed) return Promise.reject(new Error('the store is closed'))
    const id = ++this.#calls
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      this.#worker.postMessage([id, call])
    })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    const closed = this.call({ kind: 'close' })
    this.#isClosed = true
    await closed
    await this.#worker.terminate()
  }

  #die(error: Error): void {
    this.#isClosed = true
    this.#onFatal(error)
    for (const pending of this.#pending.values()) pending.reject(error)
    this.#pending.clear()
  }

  #receive([id, isError, value]: Answer): void {
    if (id === 0 && isError) {
      this.#onFatal(new SqliteError(value.code, value.message))
      return
    }
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (isError) pending?.reject(new SqliteError(value.code, value.message))
    else pending?.resolve(value)
  }
}
