import { randomBytes, randomFillSync } from 'node:crypto'
import { isLoopback } from '#domain/network/host-surfaces.ts'
import { demoTier } from '#demo/demo-tier.ts'
import { AddressRanges } from '#domain/network/address-ranges.ts'
import { CheckedPost, type CheckedPostOptions } from '#providers/checked-post.ts'
import { loopName } from '#domain/network/request-loop.ts'
import { Emitters } from '#emitters/emitters.ts'
import { epochTag, idOf, idSource } from '#domain/id.ts'
import type { Logger } from '#domain/log.ts'
import { serverReader, type Store } from '#domain/store.ts'
import { openMasterKey } from '#domain/secrets/master-key.ts'
import { PollPace } from '#domain/people/poll-pace.ts'
import { derivedSecret } from '#domain/secrets/derived-secret.ts'
import { type KeyRing, decrypt, encrypt, encryptionKeyId } from '#domain/secrets/encryption.ts'
import { BodyIntake } from '#gateway/arrive/body-intake.ts'
import { Drains } from '#gateway/relay/client-hang-up.ts'
import { createGateway } from '#gateway/gateway.ts'
import { gatewayLimits, type GatewayLimits } from '#gateway/ports.ts'
import { clientOf, controlApp, type ControlDeps } from '#http/control-app.ts'
import { DeviceCookies } from '#http/device-cookie.ts'
import { OpenStreams } from '#http/open-streams.ts'
import { builtPages } from '#http/pages/built-pages.ts'
import { portalApp } from '#http/portal-app.ts'
import { rateLimits, type RateLimits } from '#http/rate-limits.ts'
import { streamLimits } from '#http/streamed-answer.ts'
import { boundedServer, requestListener } from '#http/surface-server.ts'
import { issueBills } from '#operations/bill/issue-bills.ts'
import { foundFirstOrganization, type Founded } from '#operations/organizations/found.ts'
import { issueAllInvoices, issuePastDueInvoices } from '#operations/subscription/issue-due.ts'
import { storeGauges } from '#telemetry/gauges.ts'
import type { MetricJson } from '#telemetry/metric-series.ts'
import { scrapeOf } from '#telemetry/scrape.ts'
import { Telemetry } from '#telemetry/telemetry.ts'
import { NameResolver, type NameResolverOptions } from '#providers/name-resolver.ts'
import { accountProbe } from '#providers/account-probe.ts'
import { recordedProbe } from './recorded-probe.ts'
import { CallLink } from '#tail/call-link.ts'
import { CallTailHub } from '#tail/call-tail-hub.ts'
import { upstreams } from './upstream-by-kind.ts'
import { ApplicationHosts } from './application-hosts.ts'
import type { Config } from './config.ts'
import { diskSpace, openDataFolder } from './data-folder.ts'
import { hostRefresh } from './host-refresh.ts'
import { hourly } from './hourly.ts'
import { identityProvider } from './identity-provider.ts'
import { Listeners } from './listeners.ts'
import { openStore, type OpenStore, type StoreOptions } from './open-store.ts'
import { readinessOf } from './readiness.ts'
import { passkeyVerifier } from './passkey-verifier.ts'
import { signInParts } from './sign-in-parts.ts'
import { smtpMail } from './smtp-mail.ts'
import { tokenCounter } from './token-counter.ts'

/** A running server, the same for tests and commands. */
export interface Tollgate {
  readonly baseUrl: string
  /** The first organization and its token. Set only on the first start of a data folder. */
  readonly setup: Founded | null
  /** Bytes of the request bodies of requests in flight. */
  readonly bodyBytesHeld: number
  /** Number of requests that wait for money that other requests hold. */
  readonly callsWaiting: number
  addresses(): readonly { readonly slug: string; readonly gateway: string; readonly local: string | null }[]
  /** Becomes not ready, rejects new requests, waits for those in flight, and closes the store. */
  close(): Promise<void>
}

/** Options of tests: limits in place of `gatewayLimits`, and faults of the store. */
export interface TollgateOptions extends StoreOptions {
  readonly limits?: Partial<GatewayLimits>
  /** The other workers of this server, which share its ports (supervise-workers.ts). */
  readonly siblings?: Siblings
  /** Connections of emitters, in place of those to public addresses. */
  readonly outbound?: Pick<CheckedPostOptions, 'connector'>
  /** The resolver of customers' host names. */
  readonly names?: NameResolverOptions
  /** False if the tokenizer's thread should start with the first count. For tests, which start many servers. */
  readonly startsTokenizer?: boolean
  /** Folder of the pages, in place of the default one. */
  readonly pagesFolder?: URL
}

export interface Siblings {
  /** Makes the other workers listen on the ports of a new application. */
  tellApplicationsChanged(): void
  onApplicationsChanged(listener: () => void): void
  /** Returns the metrics of all workers, including the counts of workers that have ended. */
  metricsOfAll(): Promise<readonly (readonly MetricJson[])[]>
  /** Sends this worker's own metrics to the supervisor whenever any worker is scraped. */
  onMetricsWanted(read: () => Promise<readonly MetricJson[]>): void
}

/**
 * Assembles the whole server and listens. It listens only after the store is open and migrated, and after the open work
 * of a previous process is resolved.
 */
export async function startTollgate(
  config: Config,
  log: Logger,
  {
    limits,
    names: nameOptions,
    outbound,
    pagesFolder,
    siblings,
    startsTokenizer = true,
    ...storeOptions
  }: TollgateOptions = {},
): Promise<Tollgate> {
  const monotonicMs = (): number => performance.now()
  const mended = openDataFolder(config.dataFolder)
  if (mended !== null) log.warn({ folder: config.dataFolder }, mended)
  const telemetry = await Telemetry.start({
    log,
    logShare: config.logLevel === 'debug' || config.logLevel === 'info' ? config.callLogShare : null,
    random: Math.random,
    isTracing: config.isTracing,
    monotonicMs,
    gatewayOf: (slug) => new URL(config.gatewayUrl.replace('{slug}', slug)),
  })
  const store = await openStore(config, log, {
    ...storeOptions,
    queue: { watch: telemetry.ledger, ...storeOptions.queue },
  })
  const ring = await masterKeyOf(config, store, log)
  /** For the server's own work, which reads in its own share. */
  const ownRows: Store = { ...store.rows, read: store.rows.readFor(serverReader) }
  const chance = {
    newId: idSource(Date.now, (bytes) => randomFillSync(bytes), epochTag(store.epoch)),
    randomByte: byteSource(),
  }
  const tokens = tokenCounter()
  const served = new ApplicationHosts(config, store, log)
  const names = new NameResolver(nameOptions)
  const outboundParts = {
    loopName: loopName(secretOf(ring)),
    isOwnPeer: (address: string, port: number) => served.isOwnPeer(address, port),
  }
  const upstream = upstreams({
    allowPrivate: config.allowPrivateProviders,
    names,
    ...outboundParts,
    nowMs: Date.now,
    openCredential: ({ id, organizationId, sealedCredential }) => {
      if (sealedCredential === null) return null
      const credential = decrypt(ring, sealedCredential, { organizationId, id })
      if (credential === null)
        throw new Error('the stored credential cannot be decrypted with this master key')
      return credential
    },
  })
  const refreshHosts = hostRefresh(() => served.read())
  let isReady = false
  let isCut = false
  // Once the connections are broken off, the store closes while requests without a client still run.
  const fault: Logger['error'] = (fields, message) => log[isCut ? 'debug' : 'error'](fields, message)
  const streams = new OpenStreams()

  const link = store.notices && new CallLink(store.notices, monotonicMs)
  const callTail = new CallTailHub({
    store: store.rows,
    nowMs: Date.now,
    link,
    onFault: (err) => log.warn({ err }, 'reading finished requests for event streams failed'),
  })
  const bounds = gatewayBounds(config, limits)
  const trustedProxies = config.trustedProxies && new AddressRanges(config.trustedProxies)
  const bodies = new BodyIntake(bounds)
  const drains = new Drains(bounds)
  const probeAccount = accountProbe(upstream, { monotonicMs, newId: chance.newId })
  const gateway = createGateway({
    ledger: store.ledger,
    directory: store.directory,
    upstream,
    clock: { nowMs: Date.now, monotonicMs },
    random: Math.random,
    newId: chance.newId,
    tokens,
    log,
    warnOfCall: (organizationId, fields, message) => telemetry.warnOfCall(organizationId, fields, message),
    limits: bounds,
    bodies,
    drains,
    trustedProxies,
    portalUrl: (slug) => served.addresses.portalOf(slug),
    isConsole: (origin) => served.addresses.consoleOrigins.has(origin),
    onRefused: (refusal) => telemetry.refused(refusal),
    onCallEnded(ended) {
      telemetry.callEnded(ended)
      callTail.told(ended)
    },
    probeTarget: recordedProbe(probeAccount, {
      log,
      newId: chance.newId,
      nowMs: Date.now,
      store: store.rows,
    }),
  })
  const emitters = new Emitters({
    progress: store.emitters,
    newPoster: (organizationId) =>
      new CheckedPost({
        resolve: names.of(organizationId),
        ...outboundParts,
        ...outbound,
        isUnchecked: outbound !== undefined,
      }),
    openSecret: (sealed, { id, organizationId }) => {
      const secret = decrypt(ring, sealed, { organizationId, id })
      if (secret === null) throw new Error('the stored secret cannot be decrypted with this master key')
      return secret
    },
    derivedSecret: (purpose) => derivedSecret(ring, purpose),
    openCallIds: () => gateway.openCallIds,
    isLedgerAway: () => store.isLedgerAway,
    epoch: store.epoch,
    isShared: config.databaseUrl !== null,
    newId: chance.newId,
    nowMs: Date.now,
    log,
  })
  store.onSettled((settle) => emitters.settled(settle))
  await emitters.start()
  const ownMetrics = (): Promise<readonly MetricJson[]> =>
    telemetry.metrics({
      callsInFlight: () => gateway.callsInFlight,
      drains: () => drains.count,
      bodyBytes: () => bodies.bytesHeld,
      queue: () => store.queue(),
      connections: () => upstream.connections(),
      circuits: () =>
        gateway
          .circuits()
          .filter(({ mode }) => mode === 'live')
          .map(({ accountId, circuit, model }) => ({ account: accountId, model, state: circuit.kind })),
      emitters: () => emitters.figures(),
    })
  siblings?.onMetricsWanted(ownMetrics)
  const identity = config.oidc && identityProvider(config.oidc, log)
  const signIns = await signInParts(store.rows, { log, monotonicMs, newId: chance.newId })
  const controlDeps: ControlDeps = {
    devices: new DeviceCookies(secretOf(ring)),
    store: store.rows,
    nowMs: Date.now,
    monotonicMs,
    identityProvider: identity,
    rateLimits: controlRates(config),
    bodies,
    onRefused: (refusal) => telemetry.refused(refusal),
    onUntrustedProxy: (address) =>
      log.warn(
        { address },
        'requests of many clients arrive from one address with X-Forwarded-For and share its limits; if the address is a proxy of yours, add it to TOLLGATE_TRUSTED_PROXIES',
      ),
    streams: { ...streamLimits, open: streams },
    trustedProxies,
    pages: builtPages(pagesFolder),
    gatewayOrigins: () => served.addresses.gatewayOrigins,
    demo: config.servesDemo ? demoTier({ ...chance, nowMs: Date.now }) : null,
    onInternal: (err, about) => fault({ err, ...about }, 'a control-plane request broke'),
    readiness: () => readinessOf(store, isReady, Date.now()),
    metrics: {
      addresses: config.metricsAddresses && new AddressRanges(config.metricsAddresses),
      scrape: async () => {
        const processes = await (siblings?.metricsOfAll() ?? ownMetrics().then((own) => [own]))
        return scrapeOf([...processes, await storeMetrics(ownRows)])
      },
    },
    ports: {
      ...chance,
      baseUrl: () => served.addresses.baseUrl,
      circuits: () => gateway.circuits(),
      previewRoute: (ask) => gateway.previewRoute(ask),
      probeAccount,
      passkeys: passkeyVerifier,
      ...signIns.ports,
      identityProvider: identity,
      mail: config.smtp && smtpMail(config.smtp, log),
      callTail,
      devicePolls: new PollPace(monotonicMs),
      ledger: store.ledger,
      emitters,
      epoch: store.epoch,
      store: store.rows,
      seal: (plaintext, owner) => encrypt(ring, plaintext, owner),
      allowPrivateProviders: config.allowPrivateProviders,
      isOwnUrl: (url) => served.isOwnUrl(url),
      diskSpace: () => diskSpace(config.dataFolder),
      noteFault: (err, about) => fault({ err }, about),
      allocatePorts: () => served.allocatePorts(),
      urls: (application) => served.addresses.urlsOf(application),
      applicationsChanged: async () => {
        await served.read()
        siblings?.tellApplicationsChanged()
      },
    },
  }
  const control = controlApp(controlDeps)
  const portal = portalApp(controlDeps)
  const listeners = new Listeners((own) =>
    boundedServer(
      requestListener(
        {
          gateway,
          control: (request, bindings) => control.fetch(request, bindings),
          portal: (request, { applicationId, incoming }) =>
            portal(request, clientOf(request, incoming, trustedProxies), applicationId),
          hosts: () => served.hosts,
          refreshHosts: config.databaseUrl === null ? null : refreshHosts,
          loopName: outboundParts.loopName,
          isHttps: {
            control: new URL(config.baseUrl).protocol === 'https:',
            portal: new URL(config.portalUrl.replace('{slug}', 'a')).protocol === 'https:',
          },
          newRequestId: () => idOf('req', chance.newId()),
          onInternal: (err) => fault({ err }, 'request failed: unexpected error'),
        },
        own,
      ),
    ),
  )

  await issuePastDueInvoices({ store: store.rows, newId: chance.newId }, Date.now()).catch((err: unknown) =>
    log.warn({ err }, 'issuing past-due invoices failed; retrying in the next hourly run'),
  )
  await served.listen(listeners)
  const { baseUrl } = served.addresses
  const setup = await foundFirstOrganization(
    store.rows,
    { ...chance, baseUrl: () => baseUrl },
    {
      name: 'My organization',
      label: 'First token',
      nowMs: Date.now(),
    },
  )
  siblings?.onApplicationsChanged(() => {
    refreshHosts().catch((err: unknown) => log.warn({ err }, 'reading the applications failed'))
  })
  await served.read()
  const stopBilling = hourly(
    () => issueBills(ownRows, Date.now()),
    (err) => log.warn({ err }, 'issuing the bills of past months failed; retrying in an hour'),
  )
  const stopInvoicing = hourly(
    (ending) =>
      issueAllInvoices({ store: ownRows, ledger: store.ledger, newId: chance.newId, ending }, Date.now()),
    (err) => log.warn({ err }, 'issuing due invoices failed; retrying in an hour'),
  )
  isReady = true
  if (!isSignInPossible(baseUrl)) {
    log.warn(
      { baseUrl },
      'sign-in does not work at this address, because browsers accept session cookies only over https; set TOLLGATE_BASE_URL to an https address',
    )
  }
  log.info({ baseUrl, applications: served.applications.length }, 'serving')
  // Start it when the server is ready, which must not wait for it, and before the first count.
  if (startsTokenizer) void tokens.start()

  return {
    baseUrl,
    setup,
    get bodyBytesHeld() {
      return bodies.bytesHeld
    },
    get callsWaiting() {
      return gateway.callsWaiting
    },
    addresses: () =>
      served.applications
        .filter(({ isArchived }) => !isArchived)
        .map((application) => {
          const { gateway: url, localGateway = null } = served.addresses.urlsOf(application)
          return { slug: application.slug, gateway: url, local: localGateway }
        }),
    async close() {
      isReady = false
      log.info({ callsInFlight: gateway.callsInFlight }, 'stopping')
      listeners.stop()
      await Promise.all([streams.stop(streamsEndMs), gateway.drain(config.drainMs)])
      const { callsInFlight } = gateway
      if (callsInFlight > 0) log.warn({ callsInFlight }, 'aborting requests that did not finish in time')
      await listeners.close()
      isCut = true
      await signIns.close()
      await emitters.close()
      await upstream.close()
      // Requests that were cut off settle by the gateway's own count, which may wait for the tokenizer.
      await gateway.drain(cutEndMs)
      await tokens.close()
      await Promise.all([stopBilling(), stopInvoicing()])
      link?.close()
      await store.close()
      await telemetry.close()
    },
  }
}

/** Returns metrics of the whole store, which are reported once and not once per process. */
async function storeMetrics({ read }: Store): Promise<readonly MetricJson[]> {
  const holds = await read.diagnosis.holdsInFlight().catch(() => null)
  return storeGauges(holds, Date.now())
}

/** A count takes milliseconds once the tokenizer is up. */
const cutEndMs = 3_000

/** Time for clients to receive their last event. A client that still reads receives it immediately. */
const streamsEndMs = 1_000

/** Returns the current master key as the secret, because all processes of an installation share that key. */
function secretOf({ currentId, keys }: KeyRing): Buffer {
  return keys.get(currentId) ?? Buffer.from(currentId)
}

/** Browsers store a `Secure` cookie only from https or from this machine. */
function isSignInPossible(baseUrl: string): boolean {
  const { hostname, protocol } = new URL(baseUrl)
  return protocol === 'https:' || isLoopback(hostname)
}

/** Without a limit for valid credentials, the limits for wrong credentials, strangers and guesses still apply. */
function controlRates({ controlCallsPerSecond }: Config): RateLimits {
  if (controlCallsPerSecond === 0) return { ...rateLimits, credential: null }
  const credential = { perSecond: controlCallsPerSecond, burst: 5 * controlCallsPerSecond }
  return { ...rateLimits, credential }
}

function gatewayBounds(config: Config, limits: Partial<GatewayLimits> | undefined): GatewayLimits {
  return {
    ...gatewayLimits,
    heldWaitMs: config.heldWaitMs,
    dailyUse: { isShared: config.databaseUrl !== null, refreshMs: 1_000 },
    bodyBytesMax: config.bodyBytesMax,
    ...limits,
  }
}

/** @throws if the key does not decrypt the stored credentials; the store is then closed */
async function masterKeyOf(config: Config, store: OpenStore, log: Logger): Promise<KeyRing> {
  try {
    const { emitters, providers } = store.rows.read
    const sealed = [...(await providers.sealedCredentials()), ...(await emitters.sealedSecrets(Date.now()))]
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

/** Returns random bytes one at a time, drawn in blocks. */
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
