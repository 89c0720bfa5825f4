import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'

/**
 * The ports that the process listens on: its own port and, in local mode, two ports for every application. Clients use
 * the ports of applications where `*.localhost` does not resolve. The ports share one listener and have the same
 * limits.
 */
export class Listeners {
  readonly #makeServer: (port: number | null) => Server
  readonly #servers = new Map<number, Server>()
  /**
   * The running search for a free port. The next search waits for it, because two concurrent searches could find the
   * same port.
   */
  #searching: Promise<unknown> = Promise.resolve()
  /** On these ports, the Host header selects the surface: the control plane, a gateway or a portal. */
  readonly #shared = new Set<number>()

  /** @param makeServer called with the port of an application, or null for the process's own port */
  constructor(makeServer: (port: number | null) => Server) {
    this.#makeServer = makeServer
  }

  has(port: number): boolean {
    return this.#servers.has(port)
  }

  /**
   * Listens at the address, unless this process already listens there.
   * @param port 0 for any free port
   * @returns the port on which the process listens
   * @throws the system's error, `EADDRINUSE` if another process uses the port
   */
  async listen(host: string, port: number): Promise<number> {
    const actual = await this.#listen(host, port, () => this.#makeServer(null))
    this.#shared.add(actual)
    return actual
  }

  #listenLocally(port: number): Promise<number> {
    return this.#listen('127.0.0.1', port, () => this.#makeServer(port))
  }

  async #listen(host: string, port: number, makeServer: () => Server): Promise<number> {
    if (this.#servers.has(port)) return port
    const server = makeServer()
    // With port 0, workers of one server would share the port, and a request of one worker's warm-up would reach the
    // temporary server of another worker (nodejs.org/api/cluster.html).
    server.listen({ port, host, backlog: waitingConnections, exclusive: port === 0 })
    await once(server, 'listening')
    // `address()` of a listening TCP server is an AddressInfo (node:net).
    const actual = (server.address() as AddressInfo).port
    this.#servers.set(actual, server)
    return actual
  }

  /**
   * Each search waits for the previous search, and no port is returned twice.
   * @param first the first port to try; 0 for any port
   * @param isTaken whether a port belongs to an application, even if no process currently listens on it
   */
  listenFrom(first: number, isTaken: (port: number) => boolean = () => false): Promise<number> {
    const found = this.#searching.then(() => this.#listenFrom(first, isTaken))
    this.#searching = found.catch(() => {})
    return found
  }

  async #listenFrom(first: number, isTaken: (port: number) => boolean): Promise<number> {
    const listenOn = async (port: number): Promise<number | null> => {
      if (this.#servers.has(port) || isTaken(port)) return null
      try {
        return await this.#listenLocally(port)
      } catch (cause) {
        // Another process may have taken the port since the check.
        if (!isInUse(cause)) throw cause
        return null
      }
    }
    /* oxlint-disable no-await-in-loop -- one port after the other */
    if (first > 0) {
      for (let port = first; port < first + portsTried; port++) {
        if (this.#servers.has(port) || isTaken(port) || (await probe('127.0.0.1', port)) === null) continue
        if ((await listenOn(port)) !== null) return port
      }
    }
    for (let tried = 1; tried <= anyTried; tried++) {
      const port = await listenOn(await freePort('127.0.0.1'))
      if (port !== null) return port
    }
    /* oxlint-enable no-await-in-loop */
    throw new Error(`found no free port on 127.0.0.1 in ${anyTried} attempts`)
  }

  /**
   * Listens on the loopback port of an application, or on another port if this port is taken. A port that this process
   * uses for all surfaces also counts as taken.
   * @param free finds another port
   */
  async keep(port: number | null, free: () => Promise<number>): Promise<number> {
    if (port === null || this.#shared.has(port)) return free()
    try {
      return await this.#listenLocally(port)
    } catch (cause) {
      if (!isInUse(cause)) throw cause
      return free()
    }
  }

  release(port: number): void {
    const server = this.#servers.get(port)
    this.#servers.delete(port)
    server?.close()
    server?.closeAllConnections()
  }

  /**
   * Accepts no new connections and closes idle connections. A connection with a request in flight is closed when the
   * request ends.
   */
  stop(): void {
    for (const server of this.#servers.values()) {
      server.close()
      server.closeIdleConnections()
    }
  }

  async close(): Promise<void> {
    for (const server of this.#servers.values()) {
      if (server.listening) server.close()
      server.closeAllConnections()
    }
    this.#servers.clear()
  }
}

/**
 * Maximum number of connections that the system keeps until the process accepts them. With Node's default of 511, the
 * system drops more connections of a burst, and their clients try again only after a second. Linux may lower the number
 * (`net.core.somaxconn`, 4,096 by default).
 */
const waitingConnections = 4_096

const portsTried = 500
const anyTried = 20

async function freePort(host: string): Promise<number> {
  const port = await probe(host, 0)
  if (port === null) throw new Error('this machine has no free port')
  return port
}

/**
 * Returns a free port for several workers, which begin to listen within a few seconds. The port is below the ephemeral
 * range (from 32768), whose ports the system may give to outgoing connections before the last worker listens.
 * @param random returns a random number from 0 to 1
 */
export async function steadyPort(host: string, random: () => number = Math.random): Promise<number> {
  for (let tried = 0; tried < portsTried; tried++) {
    const port = steadyFirst + Math.floor(random() * (steadyEnd - steadyFirst))
    // oxlint-disable-next-line no-await-in-loop -- one port after the other
    if ((await probe(host, port)) !== null) return port
  }
  return freePort(host)
}

const steadyFirst = 10_000
const steadyEnd = 32_768

/**
 * Checks that no other process uses a port. Without `exclusive`, a worker could listen on a port in use, because
 * workers of one server share their ports (nodejs.org/api/net.html).
 * @param port 0 for any port
 * @returns the port, which is closed again; null if another process uses the port
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
