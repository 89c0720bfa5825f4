import assert from 'node:assert'
import type { buildConnector } from 'undici'
import { ProviderConnection, type Job, type ResponseHandler } from './provider-connection.ts'
import { requestHead, type ClientRequest } from './request-head.ts'
import { ResponseFault } from './response-parser.ts'

interface ClientOptions {
  readonly connect: buildConnector.connector
  /** Defaults to 4 seconds. A time that the server states overrides this value. */
  readonly keepAliveMs?: number
  /** Called when the connection has closed and no request needs it. */
  readonly onDisconnect?: () => void
}

/**
 * This time is shorter than the 5 s after which Node and uvicorn close an idle connection without notice. A request
 * that is sent while a server closes the connection fails. A repetition is not safe, because the server may have
 * processed the request.
 */
const defaultKeepAliveMs = 4_000

/**
 * The client opens its connection for the first request. If the connection was closed before a request was written, the
 * client opens another connection.
 *
 * The client behaves like undici's `Client` without timeouts, and reports the same error codes
 * (docs/decisions/2026-11-29-own-provider-client.md).
 */
export class ProviderClient {
  readonly #url: URL
  readonly #host: string
  readonly #options: ClientOptions
  #connection: ProviderConnection | null = null
  /** The job that waits until the connection is open. */
  #waiting: Job | null = null
  #isDestroyed = false

  constructor(origin: string, options: ClientOptions) {
    this.#url = new URL(origin)
    this.#host = this.#url.host
    this.#options = options
  }

  /** Call `dispatch` only after the previous request has ended. */
  dispatch(request: ClientRequest, handler: ResponseHandler): void {
    assert(this.#waiting === null && !this.#isDestroyed, 'the client is busy or closed')
    let job: Job
    try {
      job = { request, handler, head: requestHead(request, this.#host) }
    } catch (error) {
      return handler.onResponseError(null, error instanceof Error ? error : new Error(String(error)))
    }
    if (this.#connection?.isOpen === true) this.#connection.send(job)
    else this.#open(job)
  }

  /** Closes the connection in any state. */
  destroy(error: Error = closed()): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.#connection?.destroy(error)
    this.#failWaiting(error)
  }

  #open(job: Job): void {
    this.#connection = null
    this.#waiting = job
    const { host, hostname, port, protocol } = this.#url
    const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
    this.#options.connect({ host, hostname: address, port, protocol }, (...[error, socket]) => {
      if (error) return this.#failWaiting(error)
      if (this.#isDestroyed) return void socket.on('error', () => {}).destroy()
      if (socket.destroyed) return this.#failWaiting(socket.errored ?? closed())
      const connection = new ProviderConnection(socket, {
        keepAliveMs: this.#options.keepAliveMs ?? defaultKeepAliveMs,
        onClose: (unsent) => this.#onClose(connection, unsent),
      })
      this.#connection = connection
      this.#waiting = null
      connection.send(job)
    })
  }

  #onClose(connection: ProviderConnection, unsent: Job | null): void {
    if (this.#isDestroyed) return unsent?.handler.onResponseError(null, closed())
    if (unsent !== null) return this.#open(unsent)
    if (connection !== this.#connection) return
    this.#connection = null
    this.#options.onDisconnect?.()
  }

  #failWaiting(error: Error): void {
    const job = this.#waiting
    this.#waiting = null
    job?.handler.onResponseError(null, error)
  }
}

function closed(): ResponseFault {
  return new ResponseFault('UND_ERR_DESTROYED', 'the client was closed')
}
