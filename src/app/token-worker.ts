import { parentPort } from 'node:worker_threads'
import { countText } from './token-count.ts'

/** The thread of token-counter.ts. */
parentPort?.on('message', ({ id, text }: { id: number; text: string }) => {
  parentPort?.postMessage({ id, tokens: countText(text) })
})
