import { Server, type RequestListener, type ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { ClientRequest, ClientResponse } from '#gateway/call/client-exchange-interface.ts'
import { checkIntervalMs } from '#http/connection-timeouts-and-head-limits.ts'
import { EdgeConnection, type EdgeHost } from './edge-connection.ts'
import type { RequestHead } from './request-head.ts'

export interface EdgePorts {
  /** Null for every other request. */
  applicationOf(head: RequestHead): string | null
  serve(request: ClientRequest, response: ClientResponse, applicationId: string): void
}

/**
 * An HTTP server with a fast path of our own, the edge. The edge reads only requests that have a plain form
 * (request-head.ts) and that are sent to a gateway. Node's server reads all other connections, from the first byte that
 * the edge has not used (docs/decisions/2026-11-29-own-http-edge.md).
 */
export class EdgeServer extends Server implements EdgeHost {
  readonly #connections = new Set<EdgeConnection>()
  readonly #ports: EdgePorts
  readonly #acceptByNode: (socket: Socket) => void

  constructor(options: ServerOptions, listener: RequestListener, ports: EdgePorts) {
    super(options, listener)
    this.#ports = ports
    // Node's server reads a connection when this listener is called.
    const [byNode] = this.listeners('connection')
    if (byNode === undefined) throw new Error("Node's HTTP server has no listener for connections")
    this.#acceptByNode = (socket) => {
      Reflect.apply(byNode, this, [socket])
    }
    this.removeAllListeners('connection')
    this.on('connection', (socket) => void this.#connections.add(new EdgeConnection(socket, this)))
    this.once('listening', () => {
      const timer = setInterval(() => this.#closeLate(), checkIntervalMs).unref()
      this.once('close', () => clearInterval(timer))
    })
  }

  get isClosing(): boolean {
    return !this.listening
  }

  applicationOf(head: RequestHead): string | null {
    return this.#ports.applicationOf(head)
  }

  serve(request: ClientRequest, response: ClientResponse, applicationId: string): void {
    this.#ports.serve(request, response, applicationId)
  }

  passOn(connection: EdgeConnection, socket: Socket): void {
    this.#connections.delete(connection)
    this.#acceptByNode(socket)
  }

  closed(connection: EdgeConnection): void {
    this.#connections.delete(connection)
  }

  /** Also lets busy connections of the edge close after their responses. */
  override closeIdleConnections(): void {
    super.closeIdleConnections()
    for (const connection of this.#connections) connection.closeWhenIdle()
  }

  override closeAllConnections(): void {
    super.closeAllConnections()
    for (const connection of this.#connections) connection.close()
  }

  #closeLate(): void {
    const nowMs = performance.now()
    for (const connection of this.#connections) connection.closeIfLate(nowMs)
  }
}
