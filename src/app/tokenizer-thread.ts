import { parentPort } from 'node:worker_threads'
import { countAtMost, countText } from './tokenizer.ts'

parentPort?.on('message', ({ id, text }: { id: number; text: string }) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage({ id, tokens: countAtMost(text) })
})

// The first count is slow, because it builds the tokenizer's tables.
countText('The tables are built by the first count.')
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage('up')
