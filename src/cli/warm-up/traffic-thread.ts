/**
 * Runs in the worker thread that compile-hot-path.ts starts. The thread contains a provider of chat completions, and
 * clients that call the provider through the gateway.
 */
import { once } from 'node:events'
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'

export interface Traffic {
  readonly gateway: string
  readonly model: string
  readonly keys: readonly string[]
}

const connections = 32
/** Calls without streaming, which come first. */
const wholeCalls = 2_000
const streamedCalls = 200
const chunksOfStream = 20
/** After this time, the server starts even if a slow machine has not compiled everything yet. */
const trafficMsMax = 5_000

const about = {
  id: 'chatcmpl-warmup',
  created: 1_790_000_000,
  model: 'model',
  system_fingerprint: 'fp_warmup',
}
const usage = {
  prompt_tokens: 100,
  completion_tokens: chunksOfStream,
  total_tokens: 100 + chunksOfStream,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
}
const answer = JSON.stringify({
  ...about,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'An answer. '.repeat(50), refusal: null, annotations: [] },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage,
})

function frame(choices: readonly object[], counted: object | null = null): string {
  return `data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', choices, usage: counted })}\n\n`
}

function piece(delta: object, finishReason: string | null = null): string {
  return frame([{ index: 0, delta, logprobs: null, finish_reason: finishReason }])
}

async function respond(asked: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!(await text(asked)).includes('"stream":true')) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
    response.end(answer)
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(piece({ role: 'assistant', content: '' }))
  for (let sent = 0; sent < chunksOfStream; sent++) {
    response.write(piece({ content: ' word' }))
    // oxlint-disable-next-line no-await-in-loop -- a chunk in each turn
    await turn()
  }
  response.end(`${piece({}, 'stop')}${frame([], usage)}data: [DONE]\n\n`)
}

async function drive({ gateway, keys, model }: Traffic): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const url = new URL('/v1/chat/completions', gateway)
  const messages = [
    { role: 'system', content: 'You answer in few words. '.repeat(10) },
    { role: 'user', content: 'Please describe a warm engine. '.repeat(10) },
  ]
  const endMs = performance.now() + trafficMsMax
  let sent = 0
  const send = async (stream: boolean): Promise<void> => {
    const key = keys[sent++ % keys.length] ?? ''
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const asking = request(url, { agent, method: 'POST', headers })
    asking.end(JSON.stringify({ model, messages, stream, temperature: 0.7, max_tokens: 1000 }))
    const [response] = (await once(asking, 'response')) as [IncomingMessage]
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}: ${await text(response)}`)
    response.resume()
    await once(response, 'end')
  }
  for (const [calls, isStream] of [
    [wholeCalls, false],
    [streamedCalls, true],
  ] as const) {
    let left = calls
    const client = async (): Promise<void> => {
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      while (left-- > 0 && performance.now() < endMs) await send(isStream)
    }
    // oxlint-disable-next-line no-await-in-loop -- one kind after the other
    await Promise.all(Array.from({ length: connections }, client))
  }
  agent.destroy()
}

const server = createServer((asked, response) => void respond(asked, response))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
// `address()` of a listening TCP server is an AddressInfo (node:net).
const { port } = server.address() as AddressInfo
parentPort?.once('message', (traffic: Traffic) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  void drive(traffic).then(() => parentPort?.postMessage('done'))
})
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(`http://127.0.0.1:${port}/v1`)
