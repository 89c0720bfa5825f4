/**
 * The server for the cases that every SDK must pass. The server returns the scripted responses of a case to any client,
 * and records the requests that arrive. The client can be written in any language. `node sdk/behaviours/server.ts`
 * prints the address of the server.
 *
 *   POST /_begin?case=<name>     starts a run of the case, and returns {"baseUrl": "http://127.0.0.1:4000/1"}.
 *   GET  /1/_seen?least=2        waits for two requests of run 1, and then returns all requests of the run.
 *   any other path below /1      returns the next scripted response of run 1. The last response is repeated.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

/** README.md describes the fields of a case. */
export interface Step {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
  readonly gzip?: boolean
  /** Number of bytes of the body that are written at a time. If omitted, the body is written in one piece. */
  readonly pieceBytes?: number
  readonly end?: 'end' | 'close' | 'hang'
}

export interface Case {
  readonly name: string
  readonly server?: readonly Step[]
}

export interface SeenRequest {
  readonly method: string
  /** Path and query, without the part that identifies the run. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** The body of the request, base64. */
  readonly body: string
}

export interface BehaviourServer {
  readonly url: string
  close(): Promise<void>
}

interface Run {
  readonly script: readonly Step[]
  readonly seen: SeenRequest[]
  readonly waiting: (() => void)[]
}

export async function startBehaviourServer(): Promise<BehaviourServer> {
  const { cases }: { cases: Case[] } = JSON.parse(
    readFileSync(new URL('cases.json', import.meta.url), 'utf8'),
  )
  const byName = new Map(cases.map((one) => [one.name, one]))
  const runs: Run[] = []
  const sockets = new Set<Socket>()
  const server: Server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    if (pathname === '/_begin') {
      const found = byName.get(searchParams.get('case') ?? '')
      if (!found) return void response.writeHead(404).end('No such case.')
      runs.push({ script: found.server ?? [], seen: [], waiting: [] })
      return void response.end(JSON.stringify({ baseUrl: `${url}/${runs.length}` }))
    }
    const [, number = '', target = ''] = /^\/(\d+)(\/.*)$/s.exec(request.url ?? '') ?? []
    const run = runs[Number(number) - 1]
    if (!run) return void response.writeHead(404).end('No such run.')
    if (target.startsWith('/_seen')) {
      const least = Number(searchParams.get('least') ?? 0)
      while (run.seen.length < least) await new Promise<void>((resolve) => run.waiting.push(resolve))
      return void response.end(JSON.stringify(run.seen))
    }
    await play(run, target, request, response)
  }

  return {
    url,
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

async function play(
  run: Run,
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const step = run.script[Math.min(run.seen.length, run.script.length - 1)]
  run.seen.push({
    method: request.method ?? '',
    target,
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    ),
    body: Buffer.concat(pieces).toString('base64'),
  })
  for (const wake of run.waiting.splice(0)) wake()
  if (!step) return void response.writeHead(500).end('The script is empty.')
  if (step.status === undefined) {
    if (step.end === 'close') response.socket?.destroy()
    return
  }
  const plain = Buffer.from(step.text ?? (step.json === undefined ? '' : JSON.stringify(step.json)))
  const body = step.gzip ? gzipSync(plain) : plain
  response.writeHead(step.status, {
    ...(step.json !== undefined && { 'content-type': 'application/json' }),
    ...(step.gzip && { 'content-encoding': 'gzip' }),
    ...step.headers,
  })
  const pieceBytes = step.pieceBytes ?? (body.length || 1)
  for (let at = 0; at < body.length; at += pieceBytes) {
    response.write(body.subarray(at, at + pieceBytes))
    await nextTurn()
  }
  const end = step.end ?? 'end'
  if (end === 'end') return void response.end()
  response.flushHeaders()
  if (end === 'close') response.socket?.end()
}

if (import.meta.main) console.log((await startBehaviourServer()).url)
