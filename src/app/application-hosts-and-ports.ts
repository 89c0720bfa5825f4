import assert from 'node:assert/strict'
import type { ApplicationHost } from '#domain/gateway-directory-interface.ts'
import { type HostTable, hostTable } from '#domain/network/surface-selected-by-host.ts'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import type { Logger } from '#domain/log-interface.ts'
import type { ApplicationPorts } from '#operations/kernel/dependencies-of-operations.ts'
import { type Addresses, addressesOf, surfacesOf } from './addresses-of-gateways-and-pages.ts'
import type { Config } from './server-configuration.ts'
import type { Listeners } from './listening-ports.ts'
import { isOwnPeer, isOwnUrl } from './addresses-of-this-installation.ts'
import type { OpenStore } from './open-store.ts'

/** Outside the range of ports that servers use by default. */
const firstLocalPort = 8101
const writesTried = 3

export class ApplicationHosts {
  readonly #config: Config
  readonly #store: OpenStore
  readonly #log: Logger
  #listeners: Listeners | null = null
  #port = 0
  #addresses: Addresses | null = null
  /**
   * The ports of all applications, also archived ones, as last read from the store. Contains null if an application has
   * no port.
   */
  #stored = new Set<number | null>()
  /** Kept ports that another program used at the last attempt to listen. */
  readonly #reported = new Set<number>()
  #reading: Promise<unknown> = Promise.resolve()
  applications: readonly ApplicationHost[] = []
  /** Maps each host to its surface (control plane, gateway or portal). Empty until `read` has been called. */
  hosts: HostTable = hostTable(new Map())

  constructor(config: Config, store: OpenStore, log: Logger) {
    this.#config = config
    this.#store = store
    this.#log = log
  }

  /**
   * Listens on the configured port. `addresses` is available only after this call.
   * @throws Error with a sentence for the operator, if the server cannot listen there
   */
  async listen(listeners: Listeners): Promise<void> {
    this.#listeners = listeners
    const { listenHost, listenPort } = this.#config
    try {
      this.#port = await listeners.listen(listenHost, listenPort)
    } catch (cause) {
      const name = listenHost.includes(':') ? `[${listenHost}]` : listenHost
      throw new Error(`The server cannot listen on ${name}:${listenPort}, because ${reasonOf(cause)}`, {
        cause,
      })
    }
    this.#addresses = addressesOf(this.#config, this.#port)
  }

  get addresses(): Addresses {
    assert(this.#addresses, 'the server does not listen yet')
    return this.#addresses
  }

  isOwnUrl(url: string): boolean {
    return this.#listeners !== null && isOwnUrl(url, { hosts: this.hosts, ports: this.#listeners })
  }

  isOwnPeer(address: string, port: number): boolean {
    return this.#listeners !== null && isOwnPeer(address, port, this.#listeners)
  }

  /** Reads run one after the other. Otherwise, an older read could overwrite the result of a newer read. */
  read(): Promise<void> {
    const run = this.#reading.then(() => this.#read())
    this.#reading = run.catch(() => {})
    return run
  }

  /** Finds free ports and listens on them, so that a new application is reachable immediately after it is created. */
  async allocatePorts(): Promise<ApplicationPorts> {
    if (!this.addresses.isLocal) return { gateway: null, portal: null }
    // Another process may have stored ports since the last read. If that process runs on another machine, its ports can
    // be free on this machine.
    this.#noteStored(await this.#store.directory.applications())
    return { gateway: await this.#freePort(), portal: await this.#freePort() }
  }

  async releasePorts({ gateway, portal }: ApplicationPorts): Promise<void> {
    for (const port of [gateway, portal]) if (port !== null) this.#listeners?.release(port)
  }

  async #read(): Promise<void> {
    const found = await this.#store.directory.applications()
    const { isLocal } = this.addresses
    this.#noteStored(found)
    this.applications = isLocal ? await this.#listenForAll(found) : found
    this.hosts = hostTable(surfacesOf(this.addresses, this.#port, this.applications))
  }

  #noteStored(found: readonly ApplicationHost[]): void {
    this.#stored = new Set(found.flatMap(({ gatewayPort, portalPort }) => [gatewayPort, portalPort]))
  }

  #freePort(): Promise<number> {
    assert(this.#listeners, 'the server does not listen yet')
    const first = this.#config.listenPort === 0 ? 0 : firstLocalPort
    return this.#listeners.listenFrom(first, (port) => this.#stored.has(port))
  }

  /** Listens for one application after the other, so that a new port is never the port of another application. */
  async #listenForAll(found: readonly ApplicationHost[]): Promise<readonly ApplicationHost[]> {
    const listening: ApplicationHost[] = []
    // oxlint-disable-next-line no-await-in-loop -- as above
    for (const one of found) listening.push(await this.#listenLocally(one))
    return listening
  }

  /**
   * An application keeps its ports permanently, unless another program uses one of them. If several processes use the
   * store, the other program is probably one of these processes, and the application keeps its port.
   */
  async #listenLocally(application: ApplicationHost): Promise<ApplicationHost> {
    const listeners = this.#listeners
    assert(listeners, 'the server does not listen yet')
    if (application.isArchived) {
      await this.#listenWhereFree(application)
      return application
    }
    const isShared = this.#config.databaseUrl !== null
    const keep = (kept: number | null): Promise<number> =>
      listeners.keep(kept, isShared && kept !== null ? async () => kept : () => this.#freePort())
    const { applicationId, slug } = application
    let { gatewayPort, portalPort } = application
    for (let tried = 1; tried <= writesTried; tried++) {
      /* oxlint-disable no-await-in-loop -- a conflict takes the next ports */
      try {
        gatewayPort = await keep(gatewayPort)
        portalPort = await keep(portalPort)
        const ports = { gatewayPort, portalPort }
        const isSame = gatewayPort === application.gatewayPort && portalPort === application.portalPort
        if (isSame) {
          for (const port of [gatewayPort, portalPort]) this.#reportIfTaken(slug, port)
          return application
        }
        await this.#store.rows.transaction((nouns) => nouns.applications.setPorts(applicationId, ports))
        this.#log.warn(
          { slug, ...ports },
          'another program uses a local port of the application; new ports were assigned',
        )
        return { ...application, ...ports }
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error
        this.#log.warn({ slug, gatewayPort, portalPort, err: error }, 'assigning local ports failed')
        // Do not try these ports again, because another process may have stored them for another application.
        for (const port of [gatewayPort, portalPort]) this.#stored.add(port)
        gatewayPort = portalPort = null
      }
      /* oxlint-enable no-await-in-loop */
    }
    // The host names of the application still work, so the server does not stop.
    this.#log.error({ slug }, 'no local ports were assigned to the application; the next start retries')
    return application
  }

  /** Hosts are read after each change of an application, so report a port only once. */
  #reportIfTaken(slug: string, port: number): void {
    if (this.#listeners?.has(port) === true) {
      this.#reported.delete(port)
      return
    }
    if (this.#reported.has(port)) return
    this.#reported.add(port)
    this.#log.warn(
      { slug, port },
      'another program, or another process of this server, uses a local port of the application; this process does not listen on the port',
    )
  }

  /**
   * The gateway of an archived application only returns errors, so it gets no new ports if other programs use its
   * ports.
   */
  async #listenWhereFree({ gatewayPort, portalPort }: ApplicationHost): Promise<void> {
    for (const port of [gatewayPort, portalPort]) {
      // oxlint-disable-next-line no-await-in-loop -- two of them
      if (port !== null) await this.#listeners?.keep(port, async () => port)
    }
  }
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const reason = reasons[code]
  if (reason !== undefined) return reason
  return `the system rejected the address: ${cause instanceof Error ? cause.message : String(cause)}`
}

const otherAddress = 'Set an address of this machine in TOLLGATE_LISTEN, or 0.0.0.0 for all IPv4 addresses'

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program uses this port. Stop that program, or set another port with --port or in TOLLGATE_LISTEN',
  EACCES:
    'this user has no right to use the port. Set a port from 1024 to 65535 with --port or in TOLLGATE_LISTEN',
  EADDRNOTAVAIL: `this machine has no such address. ${otherAddress}`,
  ENOTFOUND: `the host name has no address. ${otherAddress}`,
}
