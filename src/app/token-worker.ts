import { parentPort } from 'node:worker_threads'
import { countText } from './token-count.ts'

/** The thread of token-counter.ts. */
parentPort?.on('message', ({ id, text }: { id: number; text: string }) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage({ id, tokens: countText(text) })
})
