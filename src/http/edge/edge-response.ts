import { EventEmitter } from 'node:events'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ClientResponse } from '#gateway/call/client-exchange-interface.ts'
import type { OnEarly, RestingConnection } from '#gateway/overload/resting-connections.ts'
import { connectionTimes } from '#http/connection-timeouts-and-head-limits.ts'
import type { EdgeRequest } from './edge-request.ts'

interface ResponseEvents {
  /** Emitted when the response was sent, or when the connection has closed. */
  close: []
  drain: []
  timeout: []
}

/** Each write is one string: the head with the first bytes of the body, or a chunk. */
export class EdgeResponse extends EventEmitter<ResponseEvents> implements ClientResponse {
  readonly req: EdgeRequest
  /** Null, so that callers use `write`. At the edge, `write` is as cheap as writing chunks to the socket directly. */
  readonly socket = null
  headersSent = false
  writableEnded = false
  destroyed = false
  chunkedEncoding = false
  isLast: boolean
  readonly #socket: Socket
  readonly #onSent: (error?: Error | null) => void
  readonly #rest: (onEarly: OnEarly) => RestingConnection
  /** Empty after the head was sent together with the first bytes of the body. */
  #head = ''
  #fields: Map<string, string> | null = null
  #hasLength = false
  #hasTimeout = false

  /**
   * @param onSent called when the system has taken all bytes of the response
   * @param isLast whether the connection must close after this response
   * @param rest lets the connection rest after this response (`ClientResponse.restAfter`)
   */
  constructor(
    req: EdgeRequest,
    isLast: boolean,
    onSent: (error?: Error | null) => void,
    rest: (onEarly: OnEarly) => RestingConnection,
  ) {
    super()
    this.req = req
    this.#socket = req.socket
    this.isLast = isLast
    this.#onSent = onSent
    this.#rest = rest
  }

  get writableLength(): number {
    return this.destroyed ? 0 : this.#head.length + this.#socket.writableLength
  }

  get writableHighWaterMark(): number {
    return this.#socket.writableHighWaterMark
  }

  getHeader(name: string): string | undefined {
    return this.#fields?.get(name)
  }

  /** @param name in lower case */
  setHeader(name: string, value: number | string): this {
    this.#fields ??= new Map()
    this.#fields.set(name, String(value))
    return this
  }

  /**
   * Stores the head, which is sent with the first bytes of the body.
   * @param headers alternating names, in lower case, and values; these headers replace headers that `setHeader` has set
   * @throws if a name or a value contains characters that could change the meaning of the head
   */
  writeHead(status: number, headers: readonly string[]): this {
    if (this.headersSent) throw new Error('the head of the response was already written')
    this.#hasLength = false
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
    for (const [name, value] of this.#fields ?? noFields) {
      if (!headers.some((other, at) => at % 2 === 0 && other === name)) head += this.#field(name, value)
    }
    for (let at = 0; at + 1 < headers.length; at += 2) {
      head += this.#field(headers[at] ?? '', headers[at + 1] ?? '')
    }
    head += dateLines(this.isLast)
    // A response with the status 204 has no body (RFC 9112 6.1).
    this.chunkedEncoding = !this.#hasLength && status !== 204
    this.headersSent = true
    this.#head = this.chunkedEncoding ? `${head}Transfer-Encoding: chunked\r\n\r\n` : `${head}\r\n`
    return this
  }

  #field(name: string, value: string): string {
    if (!fieldName.test(name) || unsafeValue.test(value))
      throw new Error(`the header ${name} contains an invalid character`)
    if (name === 'content-length') this.#hasLength = true
    else if (name === 'connection') {
      // `dateLines` adds the line `connection: close`.
      if (value === 'close') this.isLast = true
      return ''
    }
    return `${name}: ${value}\r\n`
  }

  writeContinue(): void {
    throw new Error('the edge serves no request that expects 100 Continue')
  }

  write(piece: string, encoding: 'latin1'): boolean {
    if (this.writableEnded || !this.#socket.writable) return false
    if (!this.headersSent) this.writeHead(200, [])
    return this.#socket.write(this.#take() + this.#framed(piece), encoding)
  }

  end(rest: string | Buffer = '', encoding: 'latin1' = 'latin1'): this {
    if (this.writableEnded || this.destroyed) return this
    if (!this.headersSent) this.writeHead(200, ['content-length', String(rest.length)])
    this.writableEnded = true
    const socket = this.#socket
    if (!socket.writable) return this
    if (typeof rest === 'string') {
      const last = this.chunkedEncoding ? '0\r\n\r\n' : ''
      socket.write(this.#take() + this.#framed(rest) + last, encoding, this.#onSent)
    } else {
      // Cork the socket, so that the head is sent together with the bytes.
      socket.cork()
      socket.write(this.#take(), encoding)
      socket.write(rest, this.#onSent)
      socket.uncork()
    }
    return this
  }

  restAfter(onEarly: OnEarly): RestingConnection {
    return this.#rest(onEarly)
  }

  destroy(): this {
    this.destroyed = true
    this.#socket.destroy()
    return this
  }

  setTimeout(ms: number, listener: () => void): this {
    this.#hasTimeout = true
    this.on('timeout', listener)
    this.#socket.setTimeout(ms)
    return this
  }

  closed(): void {
    if (this.#hasTimeout) this.#socket.setTimeout(0)
    this.destroyed = true
    this.emit('close')
  }

  #take(): string {
    const head = this.#head
    this.#head = ''
    return head
  }

  #framed(piece: string): string {
    return this.chunkedEncoding && piece !== '' ? `${piece.length.toString(16)}\r\n${piece}\r\n` : piece
  }
}

const noFields: readonly (readonly [string, string])[] = []
const fieldName = /^[\w!#$%&'*+.^`|~-]+$/
const unsafeValue = /[^\t\x20-\x7e\x80-\xff]/

const keptAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${connectionTimes.keepAliveTimeout / 1000}\r\n`
const closing = 'Connection: close\r\n'

let second = 0
let dateLine = ''

function dateLines(isLast: boolean): string {
  const nowMs = Date.now()
  const nowSecond = Math.floor(nowMs / 1000)
  if (nowSecond !== second) {
    second = nowSecond
    dateLine = `Date: ${new Date(nowMs).toUTCString()}\r\n`
  }
  return dateLine + (isLast ? closing : keptAlive)
}
