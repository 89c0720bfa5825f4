/**
 * A minimal proxy (the floor), with the least work that a JSON proxy on node:http and undici can do. It reads the body,
 * parses and writes it again, and forwards it with `undici.request` over open connections. It returns the response
 * unchanged: JSON as a whole, and an event stream piece by piece.
 *
 * Usage: minimal-http-proxy.ts <provider url>
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Pool } from 'undici'
import { serveUntilParentLeaves } from './serve-until-parent-leaves.ts'

const [providerUrl] = process.argv.slice(2)
if (providerUrl === undefined) throw new Error('usage: minimal-http-proxy.ts <provider url>')

const pool = new Pool(providerUrl, { connections: 4096, pipelining: 1 })

const server = createServer((request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    proxy(request, response, Buffer.concat(pieces)).catch((cause: unknown) => {
      console.error('floor:', cause)
      response.destroy()
    })
  })
})

server.keepAliveTimeout = 600_000
server.requestTimeout = 0
server.headersTimeout = 0
serveUntilParentLeaves(server)

async function proxy(request: IncomingMessage, response: ServerResponse, bytes: Buffer): Promise<void> {
  const body: unknown = JSON.parse(bytes.toString())
  const upstream = await pool.request({
    path: request.url ?? '/',
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: request.headers.authorization ?? '',
    },
    body: JSON.stringify(body),
  })
  const contentType = String(upstream.headers['content-type'])
  if (contentType.includes('text/event-stream')) {
    response.writeHead(upstream.statusCode, { 'content-type': contentType })
    response.on('close', () => upstream.body.destroy())
    // If a client disconnects, the body ends with an error, which is normal for a stream that the client does not read
    // to its end.
    upstream.body.on('error', () => response.destroy())
    upstream.body.pipe(response)
    return
  }
  const answer = Buffer.from(await upstream.body.arrayBuffer())
  response.writeHead(upstream.statusCode, {
    'content-type': contentType,
    'content-length': answer.length,
  })
  response.end(answer)
}
