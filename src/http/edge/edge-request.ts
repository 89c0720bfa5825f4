import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { ClientRequest } from '#gateway/call/client-exchange-interface.ts'
import type { RequestHead } from './request-head.ts'

/**
 * A request that the edge (this server's own HTTP parser) has read. Pieces of the body wait here until the gateway
 * reads them. If too many bytes wait, no more bytes are read from the connection.
 *
 * The events are `data` for each piece of the body, and `end` after the last piece. `close` means that the connection
 * closed before `end`.
 */
export class EdgeRequest extends EventEmitter implements ClientRequest {
  readonly method: string
  readonly url: string
  readonly headers: RequestHead['headers']
  /** The edge serves only requests in which no field is repeated. */
  readonly rawHeaders = null
  readonly socket: Socket
  complete = false
  destroyed = false
  readonly isEarly: boolean
  #state: 'waiting' | 'resuming' | 'flowing' | 'ended' = 'waiting'
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(socket: Socket, { headers, method, url }: RequestHead, isEarly: boolean) {
    super()
    this.isEarly = isEarly
    this.socket = socket
    this.method = method
    this.url = url
    this.headers = headers
  }

  override on(event: string, listener: (piece: Buffer) => void): this {
    super.on(event, listener)
    if (event === 'data') this.resume()
    return this
  }

  takeBody(): Buffer | null {
    if (!this.complete || this.#state !== 'waiting' || this.#pieces.length > 1) return null
    this.#state = 'ended'
    return this.#pieces.pop() ?? noBytes
  }

  /**
   * Like Node's streams, a request emits its first event in the next tick, after the caller has added all listeners.
   */
  resume(): this {
    if (this.#state !== 'waiting') return this
    this.#state = 'resuming'
    process.nextTick(flow, this)
    return this
  }

  flow(): void {
    if (this.#state !== 'resuming') return
    this.#state = 'flowing'
    const pieces = this.#pieces
    this.#pieces = []
    for (const piece of pieces) this.emit('data', piece)
    if (this.#bytes >= waitingBytesMax) this.socket.resume()
    this.#endIfComplete()
  }

  push(piece: Buffer): void {
    if (this.#state === 'flowing') {
      this.emit('data', piece)
      return
    }
    this.#pieces.push(piece)
    this.#bytes += piece.length
    if (this.#bytes >= waitingBytesMax) this.socket.pause()
  }

  finish(): void {
    this.complete = true
    this.#endIfComplete()
  }

  /** Called when the response was sent. */
  discard(): void {
    this.removeAllListeners('data')
    this.resume()
  }

  closed(): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.destroyed = true
    this.emit('close')
  }

  #endIfComplete(): void {
    if (!this.complete || this.#state !== 'flowing') return
    this.#state = 'ended'
    this.emit('end')
  }
}

const noBytes = Buffer.alloc(0)
/** Node also stops reading from a connection at this number of bytes. */
const waitingBytesMax = 64 * 1024

function flow(request: EdgeRequest): void {
  request.flow()
}
