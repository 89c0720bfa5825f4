import { Worker } from 'node:worker_threads'
import type { TokenCounter } from '#gateway/call/dependencies-of-gateway.ts'

export interface ClosableTokenCounter extends TokenCounter {
  /** Resolves when the thread has started. Callers need not wait for it. */
  start(): Promise<void>
  close(): Promise<void>
}

/**
 * Time limit of one count, after the thread has started. Counts take milliseconds, so only an overloaded machine
 * exceeds it.
 */
const deadlineMs = 5_000
/**
 * Limits on the number of waiting counts and on the total length of their texts. A count beyond these limits is
 * rejected immediately, so that counting cannot overload the host.
 */
export const countLimits = {
  waitingMax: 16,
  waitingCharactersMax: 1024 * 1024,
  ofOrganization: { waitingMax: 8, waitingCharactersMax: 512 * 1024 },
} as const

export interface TokenThread {
  on(event: 'message', listener: (message: TokenMessage) => void): unknown
  on(event: 'error' | 'exit', listener: () => void): unknown
  postMessage(message: { readonly id: number; readonly text: string }): void
  terminate(): Promise<unknown>
  unref(): void
}

/** `up` means that the thread has started. An object contains the token count of a text. */
type TokenMessage = 'up' | { readonly id: number; readonly tokens: number }

/**
 * Counts tokens in a separate thread. Building the tokenizer's tables takes about 60 MB and half a second of one core,
 * so the thread is started in advance (`start`) and keeps running. If the thread ends, the next count starts another
 * thread. Counts wait until the thread is ready, and this wait does not count toward their deadline.
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
    async count(text, organizationId) {
      if (isClosed) return null
      const { isUp, thread, waiting } = started()
      const all = [...waiting.values()]
      const own = all.filter((one) => one.organizationId === organizationId)
      if (!hasRoom(all, text, countLimits) || !hasRoom(own, text, countLimits.ofOrganization)) return null
      const id = ++lastId
      const { promise, resolve } = Promise.withResolvers<number | null>()
      waiting.set(id, { resolve, organizationId, characters: text.length })
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      thread.postMessage({ id, text })
      await isUp
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
  /** Resolves when the thread has started or has ended. */
  readonly isUp: Promise<void>
  readonly waiting: Map<number, WaitingText>
}

interface WaitingText {
  readonly organizationId: string
  readonly characters: number
  readonly resolve: (tokens: number | null) => void
}

function hasRoom(
  waiting: readonly WaitingText[],
  text: string,
  {
    waitingCharactersMax,
    waitingMax,
  }: { readonly waitingMax: number; readonly waitingCharactersMax: number },
): boolean {
  const characters = waiting.reduce((sum, one) => sum + one.characters, text.length)
  return waiting.length < waitingMax && characters <= waitingCharactersMax
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
