/**
 * A fake model provider that needs almost no CPU time. It serves four wires over node:http, and creates the bytes of a
 * response once for each model name. The model name determines the response, so that proxies need no settings:
 *
 *   fake-json one JSON answer of some 750 bytes, with usage
 *   fake-chunks-200-delay-5 an event stream of 200 content chunks, 5 ms apart (0: all together)
 *
 * `GET /counts` returns the number of calls served, which the load driver compares with the number of responses that it
 * received. The process prints `{"url"}` when it listens, and ends when its standard input ends, so that it cannot run
 * longer than the benchmark.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { serveUntilParentLeaves } from './serve-until-parent-leaves.ts'
import { chat } from './wires/chat.ts'
import { generate } from './wires/generate.ts'
import { messages } from './wires/messages.ts'
import { responses } from './wires/responses.ts'
import type { BenchWire } from './wires/wire-format-interface.ts'

interface JsonPlan {
  readonly kind: 'json'
  readonly headers: Record<string, string | number>
  readonly body: Buffer
}

interface StreamPlan {
  readonly kind: 'stream'
  readonly delayMs: number
  /** A real provider sends the head of its response together with the first token. */
  readonly first: Buffer
  readonly firstEvents: number
  /** The chunks of a stream contain these texts, one after the other and then from the start again. */
  readonly contents: readonly Buffer[]
  readonly contentCount: number
  readonly last: Buffer
  readonly lastEvents: number
}

const counts = { calls: 0, streamsOpen: 0, events: 0 }
const plans = new Map<string, JsonPlan | StreamPlan>()
const eventStreamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }
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

// If an idle connection were closed between two calls, the benchmark would count a fault.
server.keepAliveTimeout = 600_000
server.requestTimeout = 0
server.headersTimeout = 0
serveUntilParentLeaves(server)

function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
  const asked = request.method === 'POST' ? readCall(request.url ?? '', body) : null
  if (asked === null) {
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"POST a path of one of the four wires, with a model"}}')
    return
  }
  counts.calls += 1
  const plan = planFor(asked)
  if (plan.kind === 'json') {
    response.writeHead(200, plan.headers)
    response.end(plan.body)
    return
  }
  stream(response, plan)
}

interface Asked {
  readonly wire: BenchWire
  readonly model: string
  readonly isStream: boolean
}

const generatePath = /^\/v1beta\/models\/(?<model>[^/:]+):(?<method>\w+)/

function readCall(url: string, body: string): Asked | null {
  const { model: inPath, method } = generatePath.exec(url)?.groups ?? {}
  if (inPath !== undefined)
    return { wire: generate, model: inPath, isStream: method === 'streamGenerateContent' }
  const wire = [chat, messages, responses].find(({ path }) => path('', false) === url)
  const model = /"model"\s*:\s*"([^"]*)"/.exec(body)?.[1]
  if (wire === undefined || model === undefined) return null
  return { wire, model, isStream: /"stream"\s*:\s*true/.test(body) }
}

function stream(response: ServerResponse, plan: StreamPlan): void {
  counts.streamsOpen += 1
  response.writeHead(200, eventStreamHeaders)
  response.write(plan.first)
  counts.events += plan.firstEvents
  let contentLeft = plan.contentCount - 1
  if (plan.delayMs === 0) {
    for (; contentLeft > 0; contentLeft -= 1) writeContent(response, plan, contentLeft)
    finish(response, plan)
    return
  }
  const timer = setInterval(() => {
    if (contentLeft > 0) {
      contentLeft -= 1
      writeContent(response, plan, contentLeft)
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

/**
 * @param left number of chunks that are still to be sent. The number selects the content, so that all streams of a
 * scenario are the same
 */
function writeContent(response: ServerResponse, { contents }: StreamPlan, left: number): void {
  counts.events += 1
  const content = contents[left % contents.length]
  if (content) response.write(content)
}

function finish(response: ServerResponse, plan: StreamPlan): void {
  counts.streamsOpen -= 1
  counts.events += plan.lastEvents
  response.end(plan.last)
}

function planFor({ wire, model, isStream }: Asked): JsonPlan | StreamPlan {
  const key = `${wire.name} ${model} ${isStream}`
  const known = plans.get(key)
  if (known) return known
  const plan = isStream ? streamPlan(wire, model) : jsonPlan(wire, model)
  plans.set(key, plan)
  return plan
}

function jsonPlan(wire: BenchWire, model: string): JsonPlan {
  const body = Buffer.from(JSON.stringify(wire.answer(model)))
  return {
    kind: 'json',
    headers: { 'content-type': 'application/json', 'content-length': body.length },
    body,
  }
}

function streamPlan(wire: BenchWire, model: string): StreamPlan {
  const [, chunks = '16', delay = '0'] = /chunks-(\d+)-delay-(\d+)/.exec(model) ?? []
  const contentCount = Math.max(1, Number(chunks))
  const { opening, contents, closing } = wire.frames(model, contentCount)
  return {
    kind: 'stream',
    delayMs: Number(delay),
    first: Buffer.from(opening + (contents[0] ?? '')),
    firstEvents: eventCount(wire, opening) + 1,
    contents: contents.map((content) => Buffer.from(content)),
    contentCount,
    last: Buffer.from(closing),
    lastEvents: eventCount(wire, closing),
  }
}

function eventCount({ blank }: BenchWire, text: string): number {
  return text.split(blank).length - 1
}
