import type { IncomingHttpHeaders } from 'node:http'
import type { OnEarly, RestingConnection } from '#gateway/overload/resting-connections.ts'

/**
 * The part of a client's request that the gateway uses. Both Node's HTTP server and the edge (http/edge) implement it.
 */
export interface ClientRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  /** Alternating names and values. Null if no header is repeated. */
  readonly rawHeaders: readonly string[] | null
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly complete: boolean
  readonly destroyed: boolean
  /**
   * Whether the request arrived while its connection rested (`ClientResponse.restAfter`), and the rest has ended. False
   * if the process had capacity, so that the connection stopped resting early.
   */
  readonly isEarly?: boolean
  /** A listener for `data` starts the reading of the body. */
  on(event: 'data', listener: (piece: Buffer) => void): this
  on(event: 'end' | 'close', listener: () => void): this
  once(event: 'end' | 'close', listener: () => void): this
  /**
   * Returns the whole body if it arrived as one piece and is not being read. No events are emitted for this body. Null
   * if the body must be read by events. Absent in requests of Node's server.
   */
  takeBody?(): Buffer | null
  removeAllListeners(event: 'data'): this
  resume(): this
}

export interface ClientResponse {
  readonly req: ClientRequest
  readonly headersSent: boolean
  readonly writableEnded: boolean
  /** Number of bytes that wait in this process until the client reads. */
  readonly writableLength: number
  readonly writableHighWaterMark: number
  readonly destroyed: boolean
  /** Null if chunks must not be written to the connection directly. */
  readonly socket: ChunkSink | null
  readonly chunkedEncoding: boolean
  getHeader(name: string): number | string | readonly string[] | undefined
  setHeader(name: string, value: number | string): this
  /** @param headers alternating names and values */
  writeHead(status: number, headers: string[]): this
  /** Call this only if the client expects the status `100 Continue`. */
  writeContinue(): void
  /** @returns false if the client accepts no more data until the event `drain` */
  write(piece: string, encoding: 'latin1'): boolean
  end(): this
  end(rest: string | Buffer, encoding: 'latin1'): this
  destroy(): this
  /** Calls the listener after `ms` without sent or received bytes. */
  setTimeout(ms: number, listener: () => void): this
  once(event: 'close' | 'drain', listener: () => void): this
  off(event: 'close' | 'drain', listener: () => void): this
  /**
   * The next request on the connection is not served until `resume` is called. Absent in responses of Node's server.
   * @param onEarly called with the number of bytes if a part of a request arrives while the connection rests
   */
  restAfter?(onEarly: OnEarly): RestingConnection
}

export interface ChunkSink {
  write(chunk: string, encoding: 'latin1'): boolean
  once(event: 'drain', listener: () => void): this
  off(event: 'drain', listener: () => void): this
}
