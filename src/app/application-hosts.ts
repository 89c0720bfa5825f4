import assert from 'node:assert/strict'
import type { ApplicationHost } from '#domain/directory.ts'
import { type HostTable, hostTable } from '#domain/network/host-surfaces.ts'
import { StoreUnavailable } from '#domain/ledger.ts'
import type { Logger } from '#domain/log.ts'
import type { ApplicationPorts } from '#operations/ports.ts'
import { type Addresses, addressesOf, surfacesOf } from './application-addresses.ts'
import type { Config } from './config.ts'
import type { Listeners } from './listeners.ts'
import { isOwnPeer, isOwnUrl } from './own-addresses.ts'
import type { OpenStore } from './open-store.ts'

/** First loopback ports of applications, away from the server's own. */
const firstLocalPort = 8101
/** Attempts to store new ports of an application. */
const writesTried = 3

/** The hosts and ports of applications, as of the last read of the store. */
export class ApplicationHosts {
  readonly #config: Config
  readonly #store: OpenStore
  readonly #log: Logger
  #listeners: Listeners | null = null
  #port = 0
  #addresses: Addresses | null = null
  /** Ports of all applications as of the last read of the store, archived ones too. */
  #stored = new Set<number | null>()
  #reading: Promise<unknown> = Promise.resolve()
  applications: readonly ApplicationHost[] = []
  /** Empty until the first `read`. */
  hosts: HostTable = hostTable(new Map())

  constructor(config: Config, store: OpenStore, log: Logger) {
    this.#config = config
    this.#store = store
    this.#log = log
  }

  /** Listens on the configured port; from then on the addresses are known. */
  async listen(listeners: Listeners): Promise<void> {
    this.#listeners = listeners
    this.#port = await listeners.listen(this.#config.listenHost, this.#config.listenPort)
    this.#addresses = addressesOf(this.#config, this.#port)
  }

  get addresses(): Addresses {
    assert(this.#addresses, 'the server does not listen yet')
    return this.#addresses
  }

  /** Whether a URL leads to this server. */
  isOwnUrl(url: string): boolean {
    return this.#listeners !== null && isOwnUrl(url, { hosts: this.hosts, ports: this.#listeners })
  }

  /** Whether this process listens at an address and port. */
  isOwnPeer(address: string, port: number): boolean {
    return this.#listeners !== null && isOwnPeer(address, port, this.#listeners)
  }

  /**
   * Reads the applications and listens for them. Reads run one after the other: of two that overlap, the
   * older could win.
   */
  read(): Promise<void> {
    const run = this.#reading.then(() => this.#read())
    this.#reading = run.catch(() => {})
    return run
  }

  /** Takes free ports and listens on them: an application made a moment later is reachable at once. */
  async allocatePorts(): Promise<ApplicationPorts> {
    if (!this.addresses.isLocal) return { gateway: null, portal: null }
    return { gateway: await this.#freePort(), portal: await this.#freePort() }
  }

  async #read(): Promise<void> {
    const found = await this.#store.directory.applications()
    const { isLocal } = this.addresses
    this.#stored = new Set(found.flatMap(({ gatewayPort, portalPort }) => [gatewayPort, portalPort]))
    this.applications = isLocal ? await this.#listenForAll(found) : found
    this.hosts = hostTable(surfacesOf(this.addresses, this.#port, this.applications))
  }

  #freePort(): Promise<number> {
    assert(this.#listeners, 'the server does not listen yet')
    const first = this.#config.listenPort === 0 ? 0 : firstLocalPort
    return this.#listeners.listenFrom(first, (port) => this.#stored.has(port))
  }

  /** One after the other: an application that needs a new port must get none that another one keeps. */
  async #listenForAll(found: readonly ApplicationHost[]): Promise<readonly ApplicationHost[]> {
    const listening: ApplicationHost[] = []
    // oxlint-disable-next-line no-await-in-loop -- as above
    for (const one of found) listening.push(await this.#listenLocally(one))
    return listening
  }

  /**
   * An application keeps its ports for good, unless another program has taken one. With several processes on
   * one store that is most likely one of them, and the port stays the application's.
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
        if (isSame) return application
        await this.#store.rows.transaction((nouns) => nouns.applications.setPorts(applicationId, ports))
        this.#log.warn(
          { slug, ...ports },
          'a local port was taken by another program; the application has new ports',
        )
        return { ...application, ...ports }
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error
        this.#log.warn({ slug, gatewayPort, portalPort, err: error }, 'local ports were not assigned')
        // Another process may have stored them for another application meanwhile.
        for (const port of [gatewayPort, portalPort]) this.#stored.add(port)
        gatewayPort = portalPort = null
      }
      /* oxlint-enable no-await-in-loop */
    }
    // Its host names work all the same: two ports are no reason for the server to stop.
    this.#log.error({ slug }, 'the application has no local ports until the next start')
    return application
  }

  /** An archived application only says so; for that it needs no other port. */
  async #listenWhereFree({ gatewayPort, portalPort }: ApplicationHost): Promise<void> {
    for (const port of [gatewayPort, portalPort]) {
      // oxlint-disable-next-line no-await-in-loop -- two of them
      if (port !== null) await this.#listeners?.keep(port, async () => port)
    }
  }
}
