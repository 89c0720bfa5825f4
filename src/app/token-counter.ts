import { Worker } from 'node:worker_threads'
import type { TokenCounter } from '#gateway/ports.ts'

export interface ClosableTokenCounter extends TokenCounter {
  close(): Promise<void>
}

/** A text that takes longer is not worth waiting for: the call is then judged by its bytes, as before. */
const deadlineMs = 500
/** Counts that may wait; beyond, nobody waits. */
const waitingMax = 64

/**
 * Counts tokens in a thread of its own, started when it is first needed (its tables take some 60 MB).
 * Tokenizers can be made slow by their input (tokens.md 3); the thread guards against what is known, and is
 * ended, and begun anew by the next count, when it takes too long all the same.
 */
export function tokenCounter(): ClosableTokenCounter {
  let worker: Worker | null = null
  let lastId = 0
  const waiting = new Map<number, (tokens: number | null) => void>()

  const giveUp = (): void => {
    const ended = worker
    worker = null
    const all = [...waiting.values()]
    waiting.clear()
    for (const resolve of all) resolve(null)
    void ended?.terminate()
  }

  const started = (): Worker => {
    if (worker !== null) return worker
    const fresh = new Worker(new URL('./token-worker.ts', import.meta.url))
    fresh.unref()
    fresh.on('message', ({ id, tokens }: { id: number; tokens: number }) => {
      waiting.get(id)?.(tokens)
      waiting.delete(id)
    })
    fresh.on('error', () => {
      if (worker === fresh) giveUp()
    })
    worker = fresh
    return fresh
  }

  return {
    async count(text) {
      if (waiting.size >= waitingMax) return null
      const id = ++lastId
      const { promise, resolve } = Promise.withResolvers<number | null>()
      waiting.set(id, resolve)
      const timer = setTimeout(giveUp, deadlineMs)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      started().postMessage({ id, text })
      try {
        return await promise
      } finally {
        clearTimeout(timer)
      }
    },
    async close() {
      giveUp()
    },
  }
}
