import type { Socket } from 'node:net'
import { receiveFrom, type Receiver } from './shared-read-buffer.ts'
import type { ClientRequest } from './request-head.ts'
import {
  next,
  ResponseFault,
  ResponseParser,
  type ResponseHead,
  type ResponseHeaders,
  type ResponseParts,
} from './response-parser.ts'

/** The last callback is either `onResponseEnd` or `onResponseError`, which is called exactly once. */
export interface ResponseHandler {
  /** Called immediately before the request is written. Before this call, no byte of the request has been sent. */
  onRequestStart(flow: ResponseFlow): void
  /** The callback is also called for informational responses (1xx), before the response itself. */
  onResponseStart(flow: ResponseFlow, status: number, headers: ResponseHeaders): void
  /** @param bytes may be used only until the callback returns */
  onResponseData(flow: ResponseFlow, bytes: Uint8Array): void
  onResponseEnd(flow: ResponseFlow): void
  /** @param flow null if `onRequestStart` was not called, so that no byte of the request has been sent */
  onResponseError(flow: ResponseFlow | null, error: Error): void
}

/** `resume` must not be called inside a callback of another response. */
export interface ResponseFlow {
  readonly paused: boolean
  pause(): void
  resume(): void
}

export interface Job {
  readonly request: ClientRequest
  readonly head: string
  readonly handler: ResponseHandler
}

interface ConnectionOptions {
  readonly keepAliveMs: number
  /**
   * Called once, when the connection has closed.
   * @param unsent the job that was not written and can therefore be sent on another connection
   */
  readonly onClose: (unsent: Job | null) => void
}

/** An idle connection is closed this long before the server's stated timeout. */
const keepAliveMarginMs = 2_000
const keepAliveMsMax = 600_000
/** Up to this size, the head and the body of a request are joined, because one write costs less CPU than two. */
const joinedBytesMax = 16 * 1024

/** An open connection to a server, for one job at a time. */
export class ProviderConnection implements Receiver, ResponseParts {
  readonly #socket: Socket
  readonly #options: ConnectionOptions
  readonly #parser: ResponseParser
  #job: Job | null = null
  /** Null before the request is written and after the response ends. */
  #flow: Flow | null = null
  /** 0 until the head of the response has arrived. */
  #status = 0
  /**
   * Whether the connection stays open after the response in progress. If so, an end of the connection during the
   * response is an error.
   */
  #isKept = false
  /** Null if the head does not state the number of bytes. */
  #statedBytes: number | null = null
  #bodyBytes = 0
  /** Whether all responses so far have allowed another request on this connection. */
  #isReusable = true
  /** Whether the event loop has looked for new bytes since the last response. */
  #isQuiet = true
  #isUsed = false
  /** Received bytes that the parser has not read because the response is paused. */
  #held: Buffer | null = null
  #fault: Error | null = null
  #idleMs: number
  #idleTimer: NodeJS.Timeout | null = null
  #timedMs = 0

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.#idleMs = options.keepAliveMs
    this.#parser = new ResponseParser(this)
    receiveFrom(socket, this)
    socket.on('end', () => this.#onSocketEnd())
    socket.on('error', (error) => this.#onSocketError(error))
    socket.on('close', () => this.#onSocketClose())
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  /** Call `send` only after the previous job has ended. */
  send(job: Job): void {
    this.#job = job
    if (!this.#isUsed) return this.#write()
    this.#socket.ref()
    // Bytes that the server sent on the idle connection would be read as the response. Therefore, look for such bytes
    // in the next turn of the event loop, and close the connection if some have arrived.
    if (this.#isQuiet) setImmediate(this.#write)
  }

  destroy(error: Error): void {
    this.#socket.destroy(error)
  }

  readonly #write = (): void => {
    const job = this.#job
    if (job === null || this.#flow !== null || !this.isOpen) return
    const flow = new Flow(this.#resume)
    this.#flow = flow
    this.#isUsed = true
    const { handler, head, request } = job
    try {
      handler.onRequestStart(flow)
    } catch (cause) {
      return this.destroy(errorOf(cause))
    }
    if (!this.isOpen) return
    const { body } = request
    if (request.method === 'HEAD') this.#isReusable = false
    if (!body) this.#socket.write(head, 'latin1')
    else if (head.length + body.length <= joinedBytesMax) this.#socket.write(head + body, 'latin1')
    else {
      this.#socket.cork()
      this.#socket.write(head, 'latin1')
      this.#socket.write(body, 'latin1')
      this.#socket.uncork()
    }
  }

  receive(buffer: Buffer, length: number): void {
    // Sockets with TLS can return bytes after they were paused.
    if (this.#held === null) this.#parse(buffer, length)
    else this.#held = Buffer.concat([this.#held, buffer.subarray(0, length)])
  }

  #parse(buffer: Buffer, length: number): void {
    if (!this.isOpen) return
    try {
      const rest = this.#parser.execute(buffer, length)
      if (rest === null || !this.isOpen) return
      // Copy the bytes, because the next read uses the same buffer.
      this.#held = Buffer.from(rest)
      this.#socket.pause()
    } catch (cause) {
      this.#socket.destroy(errorOf(cause))
    }
  }

  readonly #resume = (flow: Flow): void => {
    if (flow !== this.#flow || this.#held === null || !this.isOpen) return
    this.#parseHeld()
    if (this.#held === null) this.#socket.resume()
  }

  #parseHeld(): void {
    const held = this.#held
    if (held === null) return
    this.#held = null
    this.#parser.resume()
    this.#parse(held, held.length)
  }

  onStart(): number {
    if (this.#flow === null) throw badResponse('it sent a response without a request')
    return next.go
  }

  onHead({ headers, isKeptAlive, isUpgrade, status }: ResponseHead): number {
    const job = this.#job
    const flow = this.#flow
    if (job === null || flow === null) return next.fail
    const { handler, request } = job
    if (status === 100) throw badResponse('it sent the status 100, which was not requested')
    if (isUpgrade) throw badResponse('it switched to another protocol')
    const hasNoBody = request.method === 'HEAD' || status === 204 || status === 304
    const stated = statedBytes(headers)
    this.#status = status
    this.#statedBytes = hasNoBody ? null : stated
    // Do not keep the connection if the head announces a body for a response that cannot have one. Otherwise, the body
    // would be read as the next response.
    const isBodyStated = (stated ?? 0) > 0 || headers['transfer-encoding'] !== undefined
    this.#isKept = isKeptAlive && !(hasNoBody && isBodyStated)
    if (this.#isKept) this.#readKeepAlive(headers['keep-alive'])
    else this.#isReusable = false
    handler.onResponseStart(flow, status, headers)
    if (status < 100) throw new ResponseFault('HPE_INVALID_STATUS', 'bad response: its status is below 100')
    if (!this.isOpen) return next.fail
    if (request.method === 'HEAD' || status < 200) return next.withoutBody
    return flow.paused ? next.pause : next.go
  }

  onBody(bytes: Uint8Array): number {
    const flow = this.#flow
    // llhttp reports an empty piece if it was paused at the end of the received bytes.
    if (bytes.length === 0 || flow === null) return next.go
    this.#bodyBytes += bytes.length
    this.#job?.handler.onResponseData(flow, bytes)
    if (!this.isOpen) return next.fail
    return flow.paused ? next.pause : next.go
  }

  onEnd(): number {
    const job = this.#job
    const flow = this.#flow
    if (job === null || flow === null || (!this.isOpen && this.#isKept)) return next.fail
    const isInformational = this.#status < 200
    this.#status = 0
    if (isInformational) return next.go
    if (this.#statedBytes !== null && this.#statedBytes !== this.#bodyBytes) throw wrongLength()
    this.#statedBytes = null
    this.#bodyBytes = 0
    this.#job = null
    this.#flow = null
    if (this.#isReusable) this.#rest()
    else this.#socket.destroy()
    job.handler.onResponseEnd(flow)
    return this.isOpen ? next.go : next.fail
  }

  #rest(): void {
    this.#isQuiet = false
    setImmediate(this.#onQuiet)
    this.#socket.unref()
    if (this.#idleTimer !== null && this.#timedMs === this.#idleMs) this.#idleTimer.refresh()
    else {
      if (this.#idleTimer !== null) clearTimeout(this.#idleTimer)
      this.#timedMs = this.#idleMs
      this.#idleTimer = setTimeout(this.#onIdle, this.#idleMs).unref()
    }
  }

  readonly #onQuiet = (): void => {
    this.#isQuiet = true
    if (this.#job !== null) setImmediate(this.#write)
  }

  /** When a job begins, the timer is not stopped, because ignoring the timer is cheaper. */
  readonly #onIdle = (): void => {
    if (this.#job === null) this.#socket.destroy()
  }

  #readKeepAlive(header: string | string[] | undefined): void {
    const stated = /(?:^|,)[\t ]*timeout=(\d+)/i.exec(String(header ?? ''))?.[1]
    const ms = stated === undefined ? null : Number(stated) * 1_000 - keepAliveMarginMs
    this.#idleMs = ms === null ? this.#options.keepAliveMs : Math.min(ms, keepAliveMsMax)
    if (this.#idleMs <= 0) this.#isReusable = false
  }

  #onSocketEnd(): void {
    // Parse the held bytes even if the response is paused, because a pause must not delay the end of the connection.
    while (this.#held !== null && this.#held.length > 0 && this.isOpen) this.#parseHeld()
    if (this.#endsWithConnection) this.#finish()
    else this.#socket.destroy(new ResponseFault('UND_ERR_SOCKET', 'other side closed'))
  }

  #onSocketError(error: Error): void {
    this.#fault = error
    // Some servers and systems reset a connection after a complete response.
    if ('code' in error && error.code === 'ECONNRESET' && this.#endsWithConnection) this.#finish()
  }

  /** Whether the end of the connection marks the end of the current response. */
  get #endsWithConnection(): boolean {
    return this.#status !== 0 && !this.#isKept
  }

  #finish(): void {
    try {
      this.#parser.finish()
    } catch (cause) {
      const isShort = this.#statedBytes !== null && this.#statedBytes !== this.#bodyBytes
      this.#fault = isShort ? wrongLength() : errorOf(cause)
      this.#socket.destroy(this.#fault)
    }
  }

  #onSocketClose(): void {
    if (this.#fault === null && this.#endsWithConnection) this.#finish()
    this.#parser.free()
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer)
    const job = this.#job
    const flow = this.#flow
    this.#job = null
    this.#flow = null
    if (flow !== null)
      job?.handler.onResponseError(flow, this.#fault ?? new ResponseFault('UND_ERR_SOCKET', 'closed'))
    this.#options.onClose(flow === null ? job : null)
  }
}

class Flow implements ResponseFlow {
  readonly #onResume: (flow: Flow) => void
  paused = false

  constructor(onResume: (flow: Flow) => void) {
    this.#onResume = onResume
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    if (!this.paused) return
    this.paused = false
    this.#onResume(this)
  }
}

/** Returns null if the head does not state the number of bytes. */
function statedBytes(headers: ResponseHeaders): number | null {
  // llhttp has checked the number, which spaces may follow.
  const value = headers['content-length']
  return value === undefined ? null : Number(value)
}

function badResponse(reason: string): ResponseFault {
  return new ResponseFault('UND_ERR_SOCKET', `bad response: ${reason}`)
}

function wrongLength(): ResponseFault {
  return new ResponseFault(
    'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
    'the body of the response does not have the length that its head states',
  )
}

function errorOf(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error('a callback failed', { cause })
}
