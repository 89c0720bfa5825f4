import { Worker } from 'node:worker_threads'
import type { TokenCounter } from '#gateway/ports.ts'

export interface ClosableTokenCounter extends TokenCounter {
  /** Brings the thread up before it is needed. Resolves when it is up; callers need not wait. */
  start(): Promise<void>
  close(): Promise<void>
}

/**
 * Of one count, from when the thread is up. Counts take milliseconds, and what takes longer is a host that
 * is too busy: a guard for callers, who otherwise all get the same answer however busy it is.
 */
const deadlineMs = 5_000
/** Counts that may wait, and how much text in all; beyond, a count is refused at once, so that the host cannot be loaded. */
const waitingMax = 16
const waitingCharactersMax = 1024 * 1024

/** What the counter needs of a thread. */
export interface TokenThread {
  on(event: 'message', listener: (message: TokenMessage) => void): unknown
  on(event: 'error' | 'exit', listener: () => void): unknown
  postMessage(message: { readonly id: number; readonly text: string }): void
  terminate(): Promise<unknown>
  unref(): void
}

/** That it is up, and what it has counted. */
type TokenMessage = 'up' | { readonly id: number; readonly tokens: number }

/**
 * Counts tokens in a thread of its own. Its tables take some 60 MB and half a second of one core; it is
 * brought up after the server has begun to serve, and stays. Should it end, the next count begins it anew.
 * The time that it takes to come up counts for no deadline: early counts wait for it.
 */
export function tokenCounter(
  openThread: () => TokenThread = () => new Worker(new URL('./token-thread.ts', import.meta.url)),
): ClosableTokenCounter {
  let running: Running | null = null

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
      const { isUp, thread, waiting } = started()
      let characters = text.length
      for (const one of waiting.values()) characters += one.characters
      if (waiting.size >= waitingMax || characters > waitingCharactersMax) return null
      const id = ++lastId
      const { promise, resolve } = Promise.withResolvers<number | null>()
      waiting.set(id, { resolve, characters: text.length })
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      thread.postMessage({ id, text })
      await isUp
      // A count past its deadline goes on, and keeps its place among those that wait until it is done.
      const timer = setTimeout(() => resolve(null), deadlineMs)
      try {
        return await promise
      } finally {
        clearTimeout(timer)
      }
    },
    async close() {
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
