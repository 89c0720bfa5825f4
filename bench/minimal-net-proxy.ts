/**
 * A minimal proxy on node:net, which does the same work as `minimal-http-proxy.ts` without node:http and undici. It
 * sends the request over an open connection, and forwards the bytes of the response as they arrive. The comparison
 * shows how much of a call's cost is Node's HTTP. This proxy does not parse HTTP safely.
 *
 * Usage: minimal-net-proxy.ts <provider url>
 */
import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { AnswerReader } from './read-http-responses.ts'
import { serveUntilParentLeaves } from './serve-until-parent-leaves.ts'

const [providerUrl] = process.argv.slice(2)
if (providerUrl === undefined) throw new Error('usage: minimal-net-proxy.ts <provider url>')
const { host, hostname, port } = new URL(providerUrl)

class Upstream {
  readonly #socket: Socket
  readonly #answer = new AnswerReader(null)
  #client: Socket | null = null

  constructor() {
    this.#socket = connect({ host: hostname, port: Number(port) })
    this.#socket.setNoDelay(true)
    this.#socket.on('data', (bytes: Buffer) => this.#receive(bytes))
    this.#socket.on('error', () => this.#socket.destroy())
    this.#socket.on('close', () => this.#client?.destroy())
  }

  send(client: Socket, request: string): void {
    this.#client = client
    this.#answer.reset()
    this.#socket.write(request)
  }

  /** If the client has disconnected, no code reads the rest of the response. */
  leave(client: Socket): void {
    if (this.#client === client) this.#socket.destroy()
  }

  #receive(bytes: Buffer): void {
    this.#client?.write(bytes)
    if (!this.#answer.push(bytes)) return
    this.#client = null
    idle.push(this)
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }
}

const idle: Upstream[] = []

function upstream(): Upstream {
  for (;;) {
    const known = idle.pop()
    if (known === undefined) return new Upstream()
    if (known.isOpen) return known
  }
}

const waiting = new WeakMap<Socket, Buffer>()

function onData(client: Socket, bytes: Buffer): Upstream | null {
  const before = waiting.get(client)
  const data = before === undefined ? bytes : Buffer.concat([before, bytes])
  const headEnd = data.indexOf('\r\n\r\n')
  const head = headEnd < 0 ? '' : data.toString('latin1', 0, headEnd)
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  const end = headEnd + 4 + length
  if (headEnd < 0 || data.length < end) {
    waiting.set(client, data)
    return null
  }
  assert.equal(data.length, end, 'bytes follow the end of a request')
  if (before !== undefined) waiting.delete(client)
  const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/'))
  const authorization = /\r\nauthorization: *([^\r]*)/i.exec(head)?.[1] ?? ''
  const body = JSON.stringify(JSON.parse(data.toString('utf8', headEnd + 4, end)) as unknown)
  const serving = upstream()
  serving.send(
    client,
    `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n` +
      `authorization: ${authorization}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  return serving
}

const server = createServer({ noDelay: true }, (client) => {
  let serving: Upstream | null = null
  client.on('data', (bytes: Buffer) => {
    serving = onData(client, bytes)
  })
  client.on('error', () => client.destroy())
  client.on('close', () => serving?.leave(client))
})

serveUntilParentLeaves(server)
