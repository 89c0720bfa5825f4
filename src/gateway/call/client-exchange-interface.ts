import type { IncomingHttpHeaders } from 'node:http'
import type { OnEarly, RestingConnection } from '#gateway/overload/resting-connections.ts'

/**
 * The members of a client's request that the gateway uses. Requests of Node's HTTP server and requests of the edge
 * (http/edge) have these members.
 */
export interface ClientRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  /** The fields as alternating names and values. Null if no field is repeated. */
  readonly rawHeaders: readonly string[] | null
  readonly socket: { readonly remoteAddress?: string | undefined }
  /** Whether the whole body has arrived. */
  readonly complete: boolean
  /** Whether the client has disconnected. */
  readonly destroyed: boolean
  /**
   * Whether the client sent the request while its connection rested (`ClientResponse.restAfter`). False if the
   * connection stopped resting early because the process had capacity.
   */
  readonly isEarly?: boolean
  /** The body is read as soon as an event `data` has a listener. */
  on(event: 'data', listener: (piece: Buffer) => void): this
  on(event: 'end' | 'close', listener: () => void): this
  once(event: 'end' | 'close', listener: () => void): this
  /**
   * Returns the whole body if it has arrived as one piece and no code reads it. No events are emitted for a body that
   * this function returned. Returns null if the body must be read by events. Requests of Node's server do not have this
   * function.
   */
  takeBody?(): Buffer | null
  removeAllListeners(event: 'data'): this
  /** Discards the rest of the body. */
  resume(): this
}

/** The members of a response to a client that the gateway uses. */
export interface ClientResponse {
  readonly req: ClientRequest
  /** Whether `writeHead` was called. */
  readonly headersSent: boolean
  readonly writableEnded: boolean
  /** Number of bytes that wait in this process, because the client does not read. */
  readonly writableLength: number
  readonly writableHighWaterMark: number
  /** Whether the client has disconnected. */
  readonly destroyed: boolean
  /** The connection. Null if chunks must not be written to the connection directly. */
  readonly socket: ChunkSink | null
  readonly chunkedEncoding: boolean
  getHeader(name: string): number | string | readonly string[] | undefined
  setHeader(name: string, value: number | string): this
  /** @param headers alternating names and values */
  writeHead(status: number, headers: string[]): this
  /** Sends the status `100 Continue`. Only called if the client expects this status. */
  writeContinue(): void
  /** @returns false if the client accepts no more data until the event `drain` */
  write(piece: string, encoding: 'latin1'): boolean
  end(): this
  end(rest: string | Buffer, encoding: 'latin1'): this
  /** Closes the connection. */
  destroy(): this
  /** Calls the listener if no bytes are sent or received for `ms`. */
  setTimeout(ms: number, listener: () => void): this
  once(event: 'close' | 'drain', listener: () => void): this
  off(event: 'close' | 'drain', listener: () => void): this
  /**
   * Lets the connection rest after this response: its next request is not served until `resume` is called. Responses of
   * Node's server do not have this function.
   * @param onEarly called with the number of bytes if a part of a request arrives while the connection rests
   */
  restAfter?(onEarly: OnEarly): RestingConnection
}

/** A connection whose event `drain` reports that the client accepts more data. */
export interface ChunkSink {
  write(chunk: string, encoding: 'latin1'): boolean
  once(event: 'drain', listener: () => void): this
  off(event: 'drain', listener: () => void): this
}
