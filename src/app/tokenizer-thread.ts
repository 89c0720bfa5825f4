import { parentPort } from 'node:worker_threads'
import { countAtMost, countText } from './tokenizer.ts'

parentPort?.on('message', ({ id, text }: { id: number; text: string }) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage({ id, tokens: countAtMost(text) })
})

// Count a text now, because the first count builds the tokenizer's tables and is therefore slow.
countText('The tables are built by the first count.')
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage('up')
