import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'

/**
 * The ports that the process listens on: its own, and in local mode two for every application, by
 * which stock clients can reach it (`*.localhost` does not resolve everywhere). All are one server to
 * the outside: the same listener, the same bounds.
 */
export class Listeners {
  readonly #makeServer: (port: number | null) => Server
  readonly #servers = new Map<number, Server>()

  /** @param makeServer is given the port of an application's server, and null for the process's own */
  constructor(makeServer: (port: number | null) => Server) {
    this.#makeServer = makeServer
  }

  /**
   * Listens for every host, unless this process already does there.
   * @param port 0: any free one
   * @returns the port
   * @throws the system's error, `EADDRINUSE` when another process has it
   */
  listen(host: string, port: number): Promise<number> {
    return this.#listen(host, port, () => this.#makeServer(null))
  }

  #listenLocally(port: number): Promise<number> {
    return this.#listen('127.0.0.1', port, () => this.#makeServer(port))
  }

  async #listen(host: string, port: number, makeServer: () => Server): Promise<number> {
    if (this.#servers.has(port)) return port
    const server = makeServer()
    server.listen(port, host)
    await once(server, 'listening')
    // `address()` of a listening TCP server is an AddressInfo (node:net).
    const actual = (server.address() as AddressInfo).port
    this.#servers.set(actual, server)
    return actual
  }

  /**
   * A free port of the loopback, already listening.
   * @param first where to begin; 0: anywhere
   */
  async listenFrom(first: number): Promise<number> {
    if (first > 0) {
      for (let port = first; port < first + portsTried; port++) {
        if (this.#servers.has(port) || (await probe('127.0.0.1', port)) === null) continue
        try {
          return await this.#listenLocally(port)
        } catch (cause) {
          if (!isInUse(cause)) throw cause
        }
      }
    }
    return this.#listenLocally(await freePort('127.0.0.1'))
  }

  /** Listens on a port of the loopback that was chosen before, or on another if that one is taken. */
  async keep(port: number | null, free: () => Promise<number>): Promise<number> {
    if (port === null) return free()
    try {
      return await this.#listenLocally(port)
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

/** Any port of the host that no one listens on now. */
export async function freePort(host: string): Promise<number> {
  const port = await probe(host, 0)
  if (port === null) throw new Error('this machine has no free port')
  return port
}

/**
 * Whether a port is free, for real: workers of one server share what they listen on, so to listen on a port
 * says nothing about who else does (nodejs.org/api/net.html, `exclusive`).
 * @param port 0: any
 * @returns the port, not listening any more; null: another process has it
 */
async function probe(host: string, port: number): Promise<number | null> {
  const server = createServer()
  server.listen({ host, port, exclusive: true })
  try {
    await once(server, 'listening')
  } catch (cause) {
    if (isInUse(cause)) return null
    throw cause
  }
  // `address()` of a listening TCP server is an AddressInfo (node:net).
  const { port: actual } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return actual
}

function isInUse(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && (cause.code === 'EADDRINUSE' || cause.code === 'EACCES')
}
