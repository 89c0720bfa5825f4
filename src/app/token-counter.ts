import { Worker } from 'node:worker_threads'
import type { TokenCounter } from '#gateway/ports.ts'

export interface ClosableTokenCounter extends TokenCounter {
  /** Starts the thread before it is needed. Resolves when it is up; callers need not wait. */
  start(): Promise<void>
  close(): Promise<void>
}

/**
 * Limit of one count, once the thread is up. Counts take milliseconds; only a host that is too busy takes
 * longer. On any other host the answer does not depend on load.
 */
const deadlineMs = 5_000
/**
 * Limits of waiting counts and their text; a count beyond them is refused at once, so that counting cannot
 * overload the host.
 */
export const countLimits = { waitingMax: 16, waitingCharactersMax: 1024 * 1024 } as const

/** The methods of a thread that the counter uses. */
export interface TokenThread {
  on(event: 'message', listener: (message: TokenMessage) => void): unknown
  on(event: 'error' | 'exit', listener: () => void): unknown
  postMessage(message: { readonly id: number; readonly text: string }): void
  terminate(): Promise<unknown>
  unref(): void
}

/** The thread is up, or has counted a text. */
type TokenMessage = 'up' | { readonly id: number; readonly tokens: number }

/**
 * Counts tokens in a thread of its own. Its tables take some 60 MB and half a second of one core; it starts
 * after the server has begun to serve, and stays. If it ends, the next count starts it again. Its start
 * counts for no deadline: early counts wait for it.
 */
export function tokenCounter(
  openThread: () => TokenThread = () => new Worker(new URL('./tokenizer-thread.ts', import.meta.url)),
): ClosableTokenCounter {
  let running: Running | null = null
  let isClosed = false

  const started = (): Running => {
    running ??= open(openThread(), (ended) => {
      if (running === ended) running = null
    })
    return running
  }

  return {
    async start() {
      await started().isUp
    },
    async count(text) {
      if (isClosed) return null
      const { isUp, thread, waiting } = started()
      const { waitingCharactersMax, waitingMax } = countLimits
      let characters = text.length
      for (const one of waiting.values()) characters += one.characters
      if (waiting.size >= waitingMax || characters > waitingCharactersMax) return null
      const id = ++lastId
      const { promise, resolve } = Promise.withResolvers<number | null>()
      waiting.set(id, { resolve, characters: text.length })
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      thread.postMessage({ id, text })
      await isUp
      // A count past its deadline goes on, and counts as waiting until it is done.
      const timer = setTimeout(() => resolve(null), deadlineMs)
      try {
        return await promise
      } finally {
        clearTimeout(timer)
      }
    },
    async close() {
      isClosed = true
      await running?.thread.terminate()
    },
  }
}

let lastId = 0

interface Running {
  readonly thread: TokenThread
  /** Resolves when the thread answers, or has ended. */
  readonly isUp: Promise<void>
  readonly waiting: Map<
    number,
    { readonly resolve: (tokens: number | null) => void; readonly characters: number }
  >
}

function open(thread: TokenThread, onEnded: (running: Running) => void): Running {
  const { promise: isUp, resolve: up } = Promise.withResolvers<void>()
  const running: Running = { thread, isUp, waiting: new Map() }
  thread.unref()
  thread.on('message', (message) => {
    if (message === 'up') return up()
    running.waiting.get(message.id)?.resolve(message.tokens)
    running.waiting.delete(message.id)
  })
  const ended = (): void => {
    onEnded(running)
    up()
    for (const { resolve } of running.waiting.values()) resolve(null)
    running.waiting.clear()
  }
  thread.on('error', ended)
  thread.on('exit', ended)
  return running
}
