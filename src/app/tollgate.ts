import { randomBytes, randomFillSync } from 'node:crypto'
import { hostTable } from '#domain/hosts.ts'
import type { HostTable } from '#domain/hosts.ts'
import { idOf, idSource } from '#domain/id.ts'
import type { Logger } from '#domain/log.ts'
import { openMasterKey } from '#domain/master-key.ts'
import { type KeyRing, decrypt, encrypt, encryptionKeyId } from '#domain/encryption.ts'
import type { ApplicationHost } from '#domain/directory.ts'
import { BodyIntake } from '#gateway/arrive/body-intake.ts'
import { createGateway } from '#gateway/gateway.ts'
import { gatewayLimits } from '#gateway/ports.ts'
import type { GatewayLimits } from '#gateway/ports.ts'
import { controlApp } from '#http/control-app.ts'
import { boundedServer, requestListener } from '#http/server.ts'
import { foundFirstOrganization } from '#operations/organizations/found.ts'
import type { Founded } from '#operations/organizations/found.ts'
import { upstreams } from './upstreams.ts'
import { addressesOf, surfacesOf } from './addresses.ts'
import type { Config } from './config.ts'
import { openDataFolder } from './data-folder.ts'
import { hostRefresh } from './host-refresh.ts'
import { Listeners } from './listeners.ts'
import { openStore } from './open-store.ts'
import type { OpenStore, StoreOptions } from './open-store.ts'
import { tokenCounter } from './token-counter.ts'

/** A running server. A value, so that tests and commands start the very same one. */
export interface Tollgate {
  readonly baseUrl: string
  /** The first organization and its token; on the first start of a data folder only. */
  readonly setup: Founded | null
  /** Bytes of request bodies that calls have now. */
  readonly bodyBytesHeld: number
  addresses(): readonly { readonly slug: string; readonly gateway: string; readonly local: string | null }[]
  /** Not ready, no new calls, those in flight to their end, the store closed. */
  close(): Promise<void>
}

/** What no setting changes, and tests do: bounds in the place of `gatewayLimits`, faults of the store. */
export interface TollgateOptions extends StoreOptions {
  readonly limits?: Partial<GatewayLimits>
  /** The other workers of this server, which share its ports (supervise.ts). */
  readonly siblings?: Siblings
  /** False: the tokenizer's thread comes up with the first count. For tests, which start many servers. */
  readonly startsTokenizer?: boolean
}

export interface Siblings {
  /** They listen on the ports of a new application as well. */
  tellApplicationsChanged(): void
  onApplicationsChanged(listener: () => void): void
}

/** First loopback ports of applications, away from the server's own. */
const firstLocalPort = 8101

/**
 * Puts the whole server together and listens. Nothing is listened to before the store is open, migrated
 * and free of what a process before this one left open.
 */
export async function startTollgate(
  config: Config,
  log: Logger,
  { limits, siblings, startsTokenizer = true, ...storeOptions }: TollgateOptions = {},
): Promise<Tollgate> {
  const mended = openDataFolder(config.dataFolder)
  if (mended !== null) log.warn({ folder: config.dataFolder }, mended)
  const store = await openStore(config, log, storeOptions)
  const ring = await masterKeyOf(config, store, log)
  const newId = idSource(Date.now, (bytes) => randomFillSync(bytes))
  const randomByte = byteSource()
  const tokens = tokenCounter()
  const upstream = upstreams({
    allowPrivate: config.allowPrivateProviders,
    nowMs: Date.now,
    openCredential: ({ id, organizationId, sealedCredential }) => {
      if (sealedCredential === null) return null
      const credential = decrypt(ring, sealedCredential, { organizationId, id })
      if (credential === null) throw new Error('the stored credential cannot be opened with this master key')
      return credential
    },
  })

  let hosts: HostTable = hostTable(new Map())
  let applications: readonly ApplicationHost[] = []
  let isReady = false
  let listening: Promise<unknown> = Promise.resolve()
  const refreshHosts = hostRefresh(listenForApplications)
  const gatewayBounds: GatewayLimits = {
    ...gatewayLimits,
    heldWaitMs: config.heldWaitMs,
    bodyBytesMax: config.bodyBytesMax,
    // One key has no more than a quarter of it, and room for one request of any size.
    bodyBytesPerKeyMax: Math.max(gatewayLimits.requestBytesMax, Math.floor(config.bodyBytesMax / 4)),
    ...limits,
  }
  const bodies = new BodyIntake(gatewayBounds)
  const gateway = createGateway({
    ledger: store.ledger,
    directory: store.directory,
    upstream,
    clock: { nowMs: Date.now, monotonicMs: () => performance.now() },
    newId,
    tokens,
    log,
    limits: gatewayBounds,
    bodies,
    drains: { count: 0 },
    portalUrl: (slug) => addresses.portalToVisit(slug),
  })
  const control = controlApp({
    store: store.rows,
    nowMs: Date.now,
    onInternal: (err, about) => log.error({ err, ...about }, 'an operation broke'),
    readiness: async () => {
      const fault = await store.fault()
      return {
        isReady: isReady && fault === null,
        checks: { store: fault ?? 'ok', server: isReady ? 'ok' : 'stopping' },
      }
    },
    ports: {
      ledger: store.ledger,
      seal: (plaintext, owner) => encrypt(ring, plaintext, owner),
      newId,
      randomByte,
      allowPrivateProviders: config.allowPrivateProviders,
      allocatePorts: async () =>
        addresses.isLocal
          ? { gateway: await freePort(), portal: await freePort() }
          : { gateway: null, portal: null },
      urls: ({ slug, gatewayPort, portalPort }) => ({
        gateway: addresses.gatewayUrl(slug),
        portal: addresses.portalUrl(slug),
        ...(gatewayPort === null || !addresses.isLocal
          ? {}
          : { localGateway: addresses.loopbackUrl(gatewayPort) }),
        ...(portalPort === null || !addresses.isLocal
          ? {}
          : { localPortal: addresses.loopbackUrl(portalPort) }),
      }),
      applicationsChanged: async () => {
        await listenForApplications()
        siblings?.tellApplicationsChanged()
      },
    },
  })
  const listeners = new Listeners((own) =>
    boundedServer(
      requestListener(
        {
          gateway,
          control: (request) => control.fetch(request),
          hosts: () => hosts,
          refreshHosts: config.databaseUrl === null ? null : refreshHosts,
          newRequestId: () => idOf('req', newId()),
          onInternal: (err) => log.error({ err }, 'a request broke'),
        },
        own,
      ),
    ),
  )
  // Ports that are free now, for as long as the process holds them: an application made a moment later
  // finds its port listening already.
  const freePort = (): Promise<number> => listeners.listenFrom(config.listenPort === 0 ? 0 : firstLocalPort)

  /** One after the other: of two that overlap, the older could undo what the newer has found. */
  function listenForApplications(): Promise<void> {
    const run = listening.then(readApplications)
    listening = run.catch(() => {})
    return run
  }

  async function readApplications(): Promise<void> {
    const found = await store.directory.applications()
    applications = addresses.isLocal ? await Promise.all(found.map(listenLocally)) : found
    hosts = hostTable(surfacesOf(addresses, port, applications))
  }

  /**
   * An application keeps its ports for good, unless another program has taken one meanwhile. Where several
   * processes serve one store that is most likely one of them, and the port stays the application's.
   */
  async function listenLocally(application: ApplicationHost): Promise<ApplicationHost> {
    const keep = (kept: number | null): Promise<number> =>
      listeners.keep(kept, config.databaseUrl === null || kept === null ? freePort : async () => kept)
    const gatewayPort = await keep(application.gatewayPort)
    const portalPort = await keep(application.portalPort)
    const isSame = gatewayPort === application.gatewayPort && portalPort === application.portalPort
    if (isSame) return application
    log.warn(
      { slug: application.slug, gatewayPort, portalPort },
      'a local port was taken; the application has moved',
    )
    await store.rows.transaction((nouns) =>
      nouns.applications.setPorts(application.applicationId, { gatewayPort, portalPort }),
    )
    return { ...application, gatewayPort, portalPort }
  }

  const port = await listeners.listen(config.listenHost, config.listenPort)
  const addresses = addressesOf(config, port)
  const setup = await foundFirstOrganization(
    store.rows,
    { newId, randomByte },
    { name: 'My organization', label: 'First token', nowMs: Date.now() },
  )
  siblings?.onApplicationsChanged(() => {
    refreshHosts().catch((err: unknown) => log.warn({ err }, 'could not read which applications there are'))
  })
  await listenForApplications()
  isReady = true
  log.info({ baseUrl: addresses.baseUrl, applications: applications.length }, 'serving')
  // After it is ready, which must not wait for that; before the first call that needs it.
  if (startsTokenizer) void tokens.start()

  return {
    baseUrl: addresses.baseUrl,
    setup,
    get bodyBytesHeld() {
      return bodies.bytesHeld
    },
    addresses: () =>
      applications.map(({ slug, gatewayPort }) => ({
        slug,
        gateway: addresses.gatewayUrl(slug),
        local: gatewayPort === null || !addresses.isLocal ? null : addresses.loopbackUrl(gatewayPort),
      })),
    async close() {
      isReady = false
      log.info({ callsInFlight: gateway.callsInFlight }, 'stopping')
      listeners.stop()
      await gateway.drain(config.drainMs)
      await listeners.close()
      await upstream.close()
      await tokens.close()
      await store.close()
    },
  }
}

/** @throws when it does not open what is stored; the store is closed then */
async function masterKeyOf(config: Config, store: OpenStore, log: Logger): Promise<KeyRing> {
  try {
    const sealed = await store.rows.read.providers.sealedCredentials()
    const needed = new Set(sealed.map((text) => encryptionKeyId(text) ?? 'an unknown key'))
    const { notes, ring } = openMasterKey(config.dataFolder, config.masterKey, {
      needed: [...needed],
      isLost: config.isMasterKeyLost,
    })
    for (const note of notes) log.warn({ keyId: ring.currentId }, note)
    return ring
  } catch (cause) {
    await store.close()
    throw cause
  }
}

/** Random bytes one at a time, drawn in blocks. */
function byteSource(): () => number {
  let block = Buffer.alloc(0)
  let used = 0
  return () => {
    if (used === block.length) {
      block = randomBytes(256)
      used = 0
    }
    return block[used++] ?? 0
  }
}
