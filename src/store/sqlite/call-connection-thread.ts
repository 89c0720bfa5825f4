import { Worker } from 'node:worker_threads'
import { SqliteError } from './classify-sqlite-errors.ts'
import type { Call, Message, Roles, ThreadData } from './entry-of-connection-thread.ts'

interface Pending {
  // The value has the result type of the called method (entry-of-connection-thread.ts).
  resolve(value: unknown): void
  reject(error: Error): void
}

interface Told {
  /**
   * Called if the thread has ended or cannot continue. It is unknown whether the thread has completed its last work.
   */
  readonly onFatal: (error: Error) => void
  readonly onCommit?: ((durationMs: number) => void) | undefined
}

type Methods<T> = Record<keyof T, (...parameters: never[]) => unknown>

export class SqliteThread<T extends Methods<T> & Roles[keyof Roles]> {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  readonly #told: Told
  #calls = 0
  #isClosed = false

  constructor(role: keyof Roles, data: ThreadData, told: Told) {
    this.#told = told
    this.#worker = new Worker(new URL('./entry-of-connection-thread.ts', import.meta.url), {
      workerData: { role, ...data },
    })
    this.#worker.on('message', (message: Message) => this.#receive(message))
    this.#worker.on('error', (cause: unknown) => {
      if (!this.#isClosed) this.#die(new Error(`the ${role} thread of the store has died`, { cause }))
    })
  }

  call<M extends keyof T & string>(
    method: M,
    ...parameters: Parameters<T[M]>
  ): Promise<Awaited<ReturnType<T[M]>>> {
    if (this.#isClosed) return Promise.reject(new Error('the store is closed'))
    const id = ++this.#calls
    return new Promise((resolve, reject) => {
      // `resolve` accepts only this method's result type, although `Pending` declares `unknown`: TypeScript allows this
      // for method syntax.
      this.#pending.set(id, { resolve, reject })
      this.#post([id, method, parameters])
    })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await new Promise((resolve, reject) => {
      this.#pending.set(0, { resolve, reject })
      this.#post([0, 'close', []])
    })
    await this.#worker.terminate()
  }

  #post(call: Call): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage(call)
  }

  #die(error: Error): void {
    this.#isClosed = true
    this.#told.onFatal(error)
    for (const pending of this.#pending.values()) pending.reject(error)
    this.#pending.clear()
  }

  #receive(message: Message): void {
    switch (message.kind) {
      case 'fatal':
        this.#told.onFatal(new SqliteError(message.code, message.message))
        return
      case 'answer':
        if (message.commitMs !== null) this.#told.onCommit?.(message.commitMs)
        this.#take(message.id)?.resolve(message.value)
        return
      case 'error':
        this.#take(message.id)?.reject(new SqliteError(message.code, message.message))
        return
      default:
        message satisfies never
    }
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    return pending
  }
}
