import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The ports that the process listens on: its own, and in local mode two for every application, by
 * which stock clients can reach it (`*.localhost` does not resolve everywhere). All are one server to
 * the outside: the same listener, the same bounds.
 */
export class Listeners {
  readonly #makeServer: () => Server
  readonly #servers = new Map<number, Server>()

  constructor(makeServer: () => Server) {
    this.#makeServer = makeServer
  }

  /**
   * Listens, unless this process already does there.
   * @param port 0: any free one
   * @returns the port
   * @throws the system's error, `EADDRINUSE` when another process has it
   */
  async listen(host: string, port: number): Promise<number> {
    if (this.#servers.has(port)) return port
    const server = this.#makeServer()
    server.listen(port, host)
    await once(server, 'listening')
    // `address()` of a listening TCP server is an AddressInfo (node:net).
    const actual = (server.address() as AddressInfo).port
    this.#servers.set(actual, server)
    return actual
  }

  /** The first free port of the loopback from `first` on, already listening. */
  async listenFrom(first: number): Promise<number> {
    for (let port = first; port < first + portsTried; port++) {
      if (this.#servers.has(port)) continue
      try {
        return await this.listen('127.0.0.1', port)
      } catch (cause) {
        if (!isInUse(cause)) throw cause
      }
    }
    return this.listen('127.0.0.1', 0)
  }

  /** Listens on a port of the loopback that was chosen before, or on another if that one is taken. */
  async keep(port: number | null, free: () => Promise<number>): Promise<number> {
    if (port === null) return free()
    try {
      return await this.listen('127.0.0.1', port)
    } catch (cause) {
      if (!isInUse(cause)) throw cause
      return free()
    }
  }

  /** No new connections and no idle ones; those with a request on them end when it does. */
  stop(): void {
    for (const server of this.#servers.values()) {
      server.close()
      server.closeIdleConnections()
    }
  }

  /** Cuts whatever is still open. */
  async close(): Promise<void> {
    for (const server of this.#servers.values()) {
      if (server.listening) server.close()
      server.closeAllConnections()
    }
    this.#servers.clear()
  }
}

const portsTried = 500

function isInUse(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && (cause.code === 'EADDRINUSE' || cause.code === 'EACCES')
}
