import assert from 'node:assert/strict'
import type { ApplicationHost } from '#domain/directory.ts'
import { type HostTable, hostTable } from '#domain/network/host-surfaces.ts'
import type { Logger } from '#domain/log.ts'
import type { ApplicationPorts } from '#operations/ports.ts'
import { type Addresses, addressesOf, surfacesOf } from './application-addresses.ts'
import type { Config } from './config.ts'
import type { Listeners } from './listeners.ts'
import { isOwnPeer, isOwnUrl } from './own-addresses.ts'
import type { OpenStore } from './open-store.ts'

/** First loopback ports of applications, away from the server's own. */
const firstLocalPort = 8101

/** The hosts and ports of applications, as of the last read of the store. */
export class ApplicationHosts {
  readonly #config: Config
  readonly #store: OpenStore
  readonly #log: Logger
  #listeners: Listeners | null = null
  #port = 0
  #addresses: Addresses | null = null
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
    this.applications = isLocal ? await Promise.all(found.map((one) => this.#listenLocally(one))) : found
    this.hosts = hostTable(surfacesOf(this.addresses, this.#port, this.applications))
  }

  #freePort(): Promise<number> {
    assert(this.#listeners, 'the server does not listen yet')
    return this.#listeners.listenFrom(this.#config.listenPort === 0 ? 0 : firstLocalPort)
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
    const gatewayPort = await keep(application.gatewayPort)
    const portalPort = await keep(application.portalPort)
    const isSame = gatewayPort === application.gatewayPort && portalPort === application.portalPort
    if (isSame) return application
    const { applicationId, slug } = application
    this.#log.warn(
      { slug, gatewayPort, portalPort },
      'a local port was taken by another program; the application has new ports',
    )
    await this.#store.rows.transaction((nouns) =>
      nouns.applications.setPorts(applicationId, { gatewayPort, portalPort }),
    )
    return { ...application, gatewayPort, portalPort }
  }

  /** An archived application only says so; for that it needs no other port. */
  async #listenWhereFree({ gatewayPort, portalPort }: ApplicationHost): Promise<void> {
    for (const port of [gatewayPort, portalPort]) {
      // oxlint-disable-next-line no-await-in-loop -- two of them
      if (port !== null) await this.#listeners?.keep(port, async () => port)
    }
  }
}
