import type { Socket } from 'node:net'
import type { OnEarly, RestingConnection } from '#gateway/overload/resting-connections.ts'
import { connectionTimes, headLimits } from '#http/connection-timeouts-and-head-limits.ts'
import { EdgeRequest } from './edge-request.ts'
import { EdgeResponse } from './edge-response.ts'
import { readRequestHead, type RequestHead } from './request-head.ts'

export interface EdgeHost {
  /** Null if Node's server must read the request. */
  applicationOf(head: RequestHead): string | null
  serve(request: EdgeRequest, response: EdgeResponse, applicationId: string): void
  passOn(connection: EdgeConnection, socket: Socket): void
  closed(connection: EdgeConnection): void
  readonly isClosing: boolean
}

/**
 * A connection whose requests the edge (this server's own HTTP parser) reads, one after the other. If the edge does not
 * serve a request, the edge passes the connection and the unread bytes on to Node's server. The edge then reads nothing
 * more. A connection can only be passed on between two requests. The edge therefore serves a request only if the whole
 * head, and no byte after the body, has arrived.
 */
export class EdgeConnection implements RestingConnection {
  readonly #socket: Socket
  readonly #host: EdgeHost
  /** The request whose body has not arrived completely. */
  #arriving: EdgeRequest | null = null
  #missing = 0
  #request: EdgeRequest | null = null
  #response: EdgeResponse | null = null
  /**
   * Unread bytes of the next request. These bytes arrived before the response to the previous request was sent, or
   * while the connection rested after a rejection (gateway/overload/resting-connections.ts).
   */
  #unread: Buffer | null = null
  #isNew = true
  /** Called if a request arrives while the connection rests (waits after a rejection). */
  #onEarly: OnEarly | null = null
  /** Whether the next request arrived while the connection rested, and the connection rested for the full time. */
  #isEarly = false
  /** By the monotonic clock, the time at which the current request began, or at which the previous request ended. */
  #sinceMs = performance.now()

  constructor(socket: Socket, host: EdgeHost) {
    this.#socket = socket
    this.#host = host
    socket.on('data', this.#onData)
    socket.on('drain', this.#onDrain)
    socket.on('timeout', this.#onTimeout)
    socket.on('end', this.#onEnd)
    socket.on('close', this.#onClose)
    socket.on('error', ignore)
  }

  /**
   * Closes the connection now, or after the response in progress. Otherwise, the next request of a busy connection would
   * be rejected. A new connection is not closed, because its first request may already be on its way.
   */
  closeWhenIdle(): void {
    if (this.#response !== null) this.#response.isLast = true
    if (this.#isNew || !this.#isIdle) return
    // If a request has arrived while the connection rested, serve this request, so that the client gets a response.
    if (this.#onEarly !== null && this.#unread !== null) this.resume('capacity')
    else this.#socket.destroy()
  }

  close(): void {
    this.#socket.destroy()
  }

  resume(reason: 'capacity' | 'time'): void {
    if (this.#onEarly === null) return
    this.#onEarly = null
    this.#isEarly = reason === 'time' && this.#unread !== null
    this.#beginNext()
  }

  closeIfLate(nowMs: number): void {
    const { headersTimeout, keepAliveTimeout, requestTimeout } = connectionTimes
    const ms = nowMs - this.#sinceMs
    if (this.#arriving !== null) {
      if (ms > requestTimeout) this.#reject('408 Request Timeout')
    } else if (this.#isIdle) {
      if (this.#isNew && ms > headersTimeout) this.#reject('408 Request Timeout')
      else if (ms > keepAliveTimeout + graceMs) this.#socket.destroy()
    }
  }

  get #isIdle(): boolean {
    return this.#arriving === null && this.#response === null
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#arriving !== null) this.#readBody(this.#arriving, bytes)
    else if (this.#response !== null) this.#keep(bytes)
    else if (this.#onEarly !== null) this.#keepEarly(this.#onEarly, bytes)
    else this.#begin(bytes)
  }

  #begin(bytes: Buffer): void {
    const head = readRequestHead(bytes)
    const isAlone = head !== null && bytes.length <= head.bytes + head.contentLength
    const applicationId = isAlone ? this.#host.applicationOf(head) : null
    if (head === null || applicationId === null) {
      this.#passOn(bytes)
      return
    }
    this.#isNew = false
    this.#sinceMs = performance.now()
    const request = new EdgeRequest(this.#socket, head, this.#isEarly)
    const isLast = !head.isKeptAlive || this.#host.isClosing
    const response = new EdgeResponse(request, isLast, this.#onSent, this.#rest)
    this.#isEarly = false
    this.#request = request
    this.#response = response
    const arrived = bytes.length - head.bytes
    this.#missing = head.contentLength - arrived
    if (arrived > 0) request.push(bytes.subarray(head.bytes))
    if (this.#missing === 0) request.finish()
    else this.#arriving = request
    this.#host.serve(request, response, applicationId)
  }

  #readBody(request: EdgeRequest, bytes: Buffer): void {
    const missing = this.#missing
    this.#missing -= Math.min(missing, bytes.length)
    // Copy the bytes after the body before `push`, because the reader of the body may release the memory of `bytes`.
    if (bytes.length > missing) this.#keep(Buffer.from(bytes.subarray(missing)))
    request.push(bytes.length > missing ? bytes.subarray(0, missing) : bytes)
    if (this.#missing > 0) return
    this.#arriving = null
    request.finish()
    this.#beginNext()
  }

  /**
   * Keeps bytes of the next request while a response is in progress, or while the connection rests after a rejection.
   */
  #keep(bytes: Buffer): void {
    this.#unread = this.#unread === null ? bytes : Buffer.concat([this.#unread, bytes])
    if (this.#unread.length >= headLimits.bytesMax) this.#socket.pause()
  }

  #beginNext(): void {
    if (!this.#isIdle) return
    this.#sinceMs = performance.now()
    const bytes = this.#unread
    this.#unread = null
    this.#socket.resume()
    if (bytes === null) return
    if (this.#onEarly === null) this.#begin(bytes)
    else this.#keepEarly(this.#onEarly, bytes)
  }

  readonly #onSent = (error?: Error | null): void => {
    const response = this.#response
    if (error || response === null) return
    this.#response = null
    this.#request?.discard()
    this.#request = null
    response.closed()
    if (response.isLast) this.#socket.destroySoon()
    else this.#beginNext()
  }

  readonly #rest = (onEarly: OnEarly): RestingConnection => {
    this.#onEarly = onEarly
    return this
  }

  #keepEarly(onEarly: OnEarly, bytes: Buffer): void {
    this.#keep(bytes)
    onEarly(bytes.length)
  }

  readonly #onDrain = (): void => {
    if (this.#response?.writableEnded === false) this.#response.emit('drain')
  }

  readonly #onTimeout = (): void => {
    this.#response?.emit('timeout')
  }

  /** Closes the connection, as Node's server does. */
  readonly #onEnd = (): void => {
    if (this.#arriving === null) this.#socket.end()
    else this.#reject('400 Bad Request')
  }

  readonly #onClose = (): void => {
    this.#host.closed(this)
    const request = this.#request
    const response = this.#response
    this.#request = null
    this.#response = null
    this.#arriving = null
    this.#unread = null
    this.#onEarly = null
    request?.closed()
    response?.closed()
  }

  /** Writes the same response as Node's server, unless another response has begun. */
  #reject(status: string): void {
    if (this.#response?.headersSent !== true && this.#socket.writable)
      this.#socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`, 'latin1')
    this.#socket.destroy()
  }

  #passOn(bytes: Buffer): void {
    const socket = this.#socket
    socket.off('data', this.#onData)
    socket.off('drain', this.#onDrain)
    socket.off('timeout', this.#onTimeout)
    socket.off('end', this.#onEnd)
    socket.off('close', this.#onClose)
    socket.off('error', ignore)
    // Node's server reads the bytes in the next tick, before any bytes that arrive later.
    socket.pause()
    socket.unshift(bytes)
    this.#host.passOn(this, socket)
    socket.resume()
  }
}

/** Node's server waits this many milliseconds longer than the announced time, for requests that are on their way. */
const graceMs = 1_000

/** Ignores the event `error`, because the event `close` follows every error. */
function ignore(): void {}
