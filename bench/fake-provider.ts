/**
 * A model provider that costs almost nothing: chat completions over node:http, every byte of the answer
 * made once for each model name. The model name says what is answered, so that proxies need not know:
 *
 *   fake-json                     one JSON answer of about 750 bytes, with usage
 *   fake-chunks-200-delay-5       an event stream of 200 content chunks, 5 ms apart (0: all in one go)
 *
 * `GET /counts` answers what was served, which the load driver compares with what it received.
 * Prints `{"url"}` when it listens; leaves when its standard input ends, so it cannot outlive the bench.
 */
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { serveUntilParentLeaves } from './serve-until-parent-leaves.ts'

interface JsonPlan {
  readonly kind: 'json'
  readonly headers: Record<string, string | number>
  readonly body: Buffer
}

interface StreamPlan {
  readonly kind: 'stream'
  readonly delayMs: number
  /** A real provider sends the role chunk when the first token is ready, so the two leave together. */
  readonly first: Buffer
  readonly content: Buffer
  readonly contentCount: number
  readonly last: Buffer
}

const counts = { calls: 0, streamsOpen: 0, events: 0 }
const plans = new Map<string, JsonPlan | StreamPlan>()
const eventStreamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }
const words = [
  ' the',
  ' model',
  ' answers',
  ' in',
  ' small',
  ' pieces,',
  ' each',
  ' about',
  ' one',
  ' token.',
]

const server = createServer((request, response) => {
  if (request.method === 'GET' && request.url === '/counts') {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(counts))
    return
  }
  let body = ''
  request.setEncoding('latin1')
  request.on('data', (text: string) => {
    body += text
  })
  request.on('end', () => answer(request, response, body))
})

// Idle connections must stay: a connection closed between two calls would be measured as a fault.
server.keepAliveTimeout = 600_000
server.requestTimeout = 0
server.headersTimeout = 0
serveUntilParentLeaves(server)

function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
  const model = /"model"\s*:\s*"([^"]*)"/.exec(body)?.[1]
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions' || model === undefined) {
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end(
      '{"error":{"message":"POST /v1/chat/completions with a model","type":"invalid_request_error"}}',
    )
    return
  }
  counts.calls += 1
  const isStream = /"stream"\s*:\s*true/.test(body)
  const hasUsage = /"include_usage"\s*:\s*true/.test(body)
  const plan = planFor(model, isStream, hasUsage)
  if (plan.kind === 'json') {
    response.writeHead(200, plan.headers)
    response.end(plan.body)
    return
  }
  stream(response, plan)
}

function stream(response: ServerResponse, plan: StreamPlan): void {
  counts.streamsOpen += 1
  response.writeHead(200, eventStreamHeaders)
  response.write(plan.first)
  // The first write carried the role chunk and the first content chunk.
  counts.events += 2
  let contentLeft = plan.contentCount - 1
  if (plan.delayMs === 0) {
    for (; contentLeft > 0; contentLeft -= 1) writeContent(response, plan)
    finish(response, plan)
    return
  }
  const timer = setInterval(() => {
    if (contentLeft > 0) {
      contentLeft -= 1
      writeContent(response, plan)
      return
    }
    clearInterval(timer)
    finish(response, plan)
  }, plan.delayMs)
  response.on('close', () => {
    clearInterval(timer)
    if (!response.writableEnded) counts.streamsOpen -= 1
  })
}

function writeContent(response: ServerResponse, plan: StreamPlan): void {
  counts.events += 1
  response.write(plan.content)
}

function finish(response: ServerResponse, plan: StreamPlan): void {
  counts.streamsOpen -= 1
  counts.events += eventCount(plan.last)
  response.end(plan.last)
}

function planFor(model: string, isStream: boolean, hasUsage: boolean): JsonPlan | StreamPlan {
  const key = `${model} ${isStream} ${hasUsage}`
  const known = plans.get(key)
  if (known) return known
  const plan = isStream ? streamPlan(model, hasUsage) : jsonPlan(model)
  plans.set(key, plan)
  return plan
}

function jsonPlan(model: string): JsonPlan {
  const text = Array.from({ length: 24 }, (_, i) => words[i % words.length]).join('')
  const body = Buffer.from(
    JSON.stringify({
      id: 'chatcmpl-BenchAnswer000000000000000000',
      object: 'chat.completion',
      created: 1_790_000_000,
      model,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: text.trim(), refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: usage(24),
      service_tier: 'default',
      system_fingerprint: 'fp_bench00000',
    }),
  )
  return {
    kind: 'json',
    headers: { 'content-type': 'application/json', 'content-length': body.length },
    body,
  }
}

function streamPlan(model: string, hasUsage: boolean): StreamPlan {
  const [, chunks = '16', delay = '0'] = /chunks-(\d+)-delay-(\d+)/.exec(model) ?? []
  const contentCount = Math.max(1, Number(chunks))
  const chunk = (choices: object[], more: object) =>
    `data: ${JSON.stringify({
      id: 'chatcmpl-BenchAnswer000000000000000000',
      object: 'chat.completion.chunk',
      created: 1_790_000_000,
      model,
      service_tier: 'default',
      system_fingerprint: 'fp_bench00000',
      choices,
      ...more,
    })}\n\n`
  const delta = (value: object, reason: string | null) =>
    chunk(
      [{ index: 0, delta: value, logprobs: null, finish_reason: reason }],
      hasUsage ? { usage: null } : {},
    )
  const content = delta({ content: ' token' }, null)
  const last =
    delta({}, 'stop') + (hasUsage ? chunk([], { usage: usage(contentCount) }) : '') + 'data: [DONE]\n\n'
  return {
    kind: 'stream',
    delayMs: Number(delay),
    first: Buffer.from(delta({ role: 'assistant', content: '', refusal: null }, null) + content),
    content: Buffer.from(content),
    contentCount,
    last: Buffer.from(last),
  }
}

function usage(outputTokens: number): object {
  return {
    prompt_tokens: 96,
    completion_tokens: outputTokens,
    total_tokens: 96 + outputTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  }
}

function eventCount(bytes: Buffer): number {
  return bytes.toString('latin1').split('\n\n').length - 1
}
