import type { CustomerUrlPostOptions } from '#providers/customer-url-post.ts'
import type { Logger } from '#domain/log-interface.ts'
import { isLoopback } from '#domain/network/surface-selected-by-host.ts'
import { type ScryptCost, scryptCost } from '#domain/people/hash-and-check-passwords.ts'
import { serverReader, type Store } from '#domain/store-interface.ts'
import type { GatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'
import { OpenStreams } from '#http/count-open-streams.ts'
import { issueBills } from '#operations/bill/shared/issue-bills.ts'
import { foundFirstOrganization, type Founded } from '#operations/organizations/shared/create-organization.ts'
import { issueAllInvoices, issuePastDueInvoices } from '#operations/billing/shared/issue-due-invoices.ts'
import type { NameResolverOptions } from '#providers/name-resolver.ts'
import { EndedCallNotifications } from '#tail/notify-processes-of-ended-calls.ts'
import { Telemetry } from '#telemetry/report-ended-calls.ts'
import { Components, type ComponentStep } from './start-and-stop-components.ts'
import type { Config } from './server-configuration.ts'
import { listenersOf } from './control-plane-and-listeners.ts'
import { openDataFolder } from './data-folder.ts'
import { emittersOf, assembleGateway, processMetrics, type GatewayParts } from './assemble-gateway.ts'
import { reloadForUnknownHost } from './look-up-unknown-host.ts'
import { runHourly } from './run-hourly.ts'
import { masterKeyRing } from './master-key-ring.ts'
import { openStore, type StoreOptions } from './open-store.ts'
import { sharedComponents, type SharedComponents } from './shared-components.ts'
import { assembleSignIns } from './assemble-sign-ins.ts'
import { tokenCounter } from './token-counter.ts'
import type { Siblings } from './sibling-workers-interface.ts'

export interface Tollgate {
  readonly baseUrl: string
  /** Set only on the first start with a data folder. */
  readonly setup: Founded | null
  /** In bytes, for all requests in flight. */
  readonly bodyBytesHeld: number
  readonly callsWaiting: number
  addresses(): readonly { readonly slug: string; readonly gateway: string; readonly local: string | null }[]
  /** Reports that the server is not ready, rejects new requests, waits for requests in flight, and closes the store. */
  close(): Promise<void>
}

export interface TollgateOptions extends StoreOptions {
  readonly limits?: Partial<GatewayLimits>
  /** The other workers of this server, which share its ports (supervise-workers.ts). */
  readonly siblings?: Siblings
  /** By default, emitters connect only to public addresses. */
  readonly outbound?: Pick<CustomerUrlPostOptions, 'connector'>
  readonly names?: NameResolverOptions
  /** Whether the tokenizer's thread starts before the first count. False in tests, which start many servers. */
  readonly startsTokenizer?: boolean
  /** Replaces `cutEndMs` in tests, which may run on a busy machine. */
  readonly settlesCutWithinMs?: number
  readonly pagesFolder?: URL
  /** Replaces `scryptCost` in tests, which create many members. */
  readonly passwordCost?: ScryptCost
  /** Called before each start and after each stop of a component. If this function throws, the step fails. */
  readonly seen?: (step: ComponentStep) => void
}

/**
 * The server listens only after the store is open and migrated, and after the unfinished work of a previous process is
 * completed. If a component does not start, the components before it are stopped.
 */
export async function startTollgate(
  config: Config,
  log: Logger,
  { seen, ...options }: TollgateOptions = {},
): Promise<Tollgate> {
  const components = new Components(log, seen)
  try {
    return await startComponents(components, config, log, options)
  } catch (cause) {
    // The caller needs the reason of the failed start, so errors of `stop` are only logged.
    await components.stop().catch(() => {})
    throw cause
  }
}

/** The order of the statements is the order of the starts. */
async function startComponents(
  components: Components,
  config: Config,
  log: Logger,
  options: Omit<TollgateOptions, 'seen'>,
): Promise<Tollgate> {
  const { limits, names, outbound, pagesFolder, passwordCost = scryptCost, siblings, ...more } = options
  const { settlesCutWithinMs = cutEndMs, startsTokenizer = true, ...stored } = more
  const core = await startCore(components, config, log, { names, stored })
  const { chance, monotonicMs, served, state, store } = core
  const { newId } = chance
  const ownRows: Store = { ...store.rows, read: store.rows.readFor(serverReader) }

  const link = await components.start(
    'link to other processes',
    () => store.notices && new EndedCallNotifications(store.notices, monotonicMs),
    (one) => one?.close(),
  )
  const tokens = await components.start('token counter', tokenCounter, (one) => one.close())
  // With a warm start, the tokenizer's thread starts first. It would otherwise use half a second of one core while the
  // first requests arrive.
  const isCounterUp = startsTokenizer && config.warmsUp ? tokens.start() : null
  const parts = assembleGateway(core, { limits, link, tokens })
  const { gateway, upstream } = parts
  // The gateway's own token count decides the charge of aborted requests, and may wait for the tokenizer.
  await components.start('settling of aborted requests', noStart, () => gateway.drain(settlesCutWithinMs))
  // A request that creates an object at a provider continues after its client was cut off. A provider that does not
  // respond must not delay the stop further.
  await components.start('provider connections', noStart, () =>
    withinOrLater(upstream.close(), settlesCutWithinMs),
  )
  await components.start(
    'files of end users',
    () => parts.files.start(),
    () => parts.files.close(),
  )
  await components.start(
    'batches of end users',
    () => parts.batches.start(),
    () => parts.batches.close(),
  )
  const emitters = emittersOf(core, gateway, outbound)
  store.onSettled((settle) => emitters.settled(settle))
  store.onTakenOver(() => void gateway.resumeBackground())
  await gateway.resumeBackground()
  await components.start(
    'emitters',
    () => emitters.start(),
    () => emitters.close(),
  )
  const ownMetrics = processMetrics(core, parts, emitters)
  siblings?.onMetricsWanted(ownMetrics)
  const signIns = await components.start(
    'sign-ins',
    () => assembleSignIns(store.rows, { log, monotonicMs, newId, passwordCost }),
    (one) => one.close(),
  )

  const openStreams = new OpenStreams()
  const refreshHosts = reloadForUnknownHost(() => served.read())
  const listeners = listenersOf(
    core,
    { parts, emitters, signIns, openStreams, ownRows, ownMetrics, siblings, pagesFolder },
    refreshHosts,
  )
  await issuePastDueInvoices({ store: store.rows, newId }, Date.now()).catch((err: unknown) =>
    log.warn({ err }, 'issuing past-due invoices failed; retrying in the next hourly run'),
  )
  await isCounterUp
  await components.start(
    'listeners',
    () => served.listen(listeners),
    async () => {
      await listeners.close()
      state.isCut = true
    },
  )
  const { baseUrl } = served.addresses
  const setup = await foundFirstOrganization(
    store.rows,
    { ...chance, baseUrl: () => baseUrl },
    { name: 'My organization', label: 'First token', nowMs: Date.now() },
  )
  siblings?.onApplicationsChanged(() => {
    refreshHosts().catch((err: unknown) => log.warn({ err }, 'reading the applications failed'))
  })
  await served.read()
  await startHourlyWork(components, core, ownRows)
  await components.start(
    'requests',
    () => void (state.isReady = true),
    async () => {
      state.isReady = false
      log.info({ callsInFlight: gateway.callsInFlight }, 'stopping')
      listeners.stop()
      await Promise.all([openStreams.stop(streamsEndMs), gateway.drain(config.drainMs)])
      const { callsInFlight } = gateway
      if (callsInFlight > 0) log.warn({ callsInFlight }, abortedWarning)
      parts.drains.stop()
    },
  )
  if (!isSignInPossible(baseUrl)) {
    log.warn(
      { baseUrl },
      'sign-in does not work at this address, because browsers accept session cookies only over https; set TOLLGATE_BASE_URL to an https address',
    )
  }
  log.info({ baseUrl, applications: served.applications.length }, 'serving')
  // Without a warm start, start the tokenizer's thread only now, so that it does not delay the server's start, but is
  // ready for the first count.
  if (startsTokenizer) void tokens.start()
  return running(components, core, parts, setup)
}

async function startCore(
  components: Components,
  config: Config,
  log: Logger,
  { names, stored }: { readonly names: NameResolverOptions | undefined; readonly stored: StoreOptions },
): Promise<SharedComponents> {
  const monotonicMs = (): number => performance.now()
  const mended = openDataFolder(config.dataFolder, { hasStore: config.databaseUrl === null })
  if (mended !== null) log.warn({ folder: config.dataFolder }, mended)
  const telemetry = await components.start(
    'telemetry',
    () =>
      Telemetry.start({
        log,
        logShare: config.logLevel === 'debug' || config.logLevel === 'info' ? config.callLogShare : null,
        random: Math.random,
        isTracing: config.isTracing,
        monotonicMs,
        gatewayOf: (slug) => new URL(config.gatewayUrl.replace('{slug}', slug)),
      }),
    (one) => one.close(),
  )
  const store = await components.start(
    'store',
    () => openStore(config, log, { ...stored, queue: { watch: telemetry.ledger, ...stored.queue } }),
    (one) => one.close(),
  )
  const ring = await masterKeyRing(config, store, log)
  return sharedComponents({ config, log, store, telemetry, ring, monotonicMs }, names)
}

async function startHourlyWork(
  components: Components,
  { chance: { newId }, log, store: { ledger } }: SharedComponents,
  ownRows: Store,
): Promise<void> {
  await components.start(
    'bills',
    () =>
      runHourly(
        () => issueBills(ownRows, Date.now()),
        (err) => log.warn({ err }, 'issuing the bills of past months failed; retrying in an hour'),
      ),
    (stop) => stop(),
  )
  await components.start(
    'invoices',
    () =>
      runHourly(
        (ending) => issueAllInvoices({ store: ownRows, ledger, newId, ending }, Date.now()),
        (err) => log.warn({ err }, 'issuing due invoices failed; retrying in an hour'),
      ),
    (stop) => stop(),
  )
}

function running(
  components: Components,
  { served }: SharedComponents,
  { bodies, gateway }: GatewayParts,
  setup: Founded | null,
): Tollgate {
  return {
    baseUrl: served.addresses.baseUrl,
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
    close: () => components.stop(),
  }
}

function noStart(): void {}

/** Resolves when the work has ended, but after `ms` at the latest. */
async function withinOrLater(work: Promise<void>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Tests fail if the log of their server contains this message, because no request may run longer than its server. */
export const abortedWarning = 'aborting requests that did not finish in time'

/**
 * Maximum time for aborted requests to settle. Counting their tokens takes milliseconds after the tokenizer has
 * started.
 */
const cutEndMs = 3_000

/** Time for clients of streams to receive their last event. Clients that are reading receive the event immediately. */
const streamsEndMs = 1_000

/** Browsers store a cookie with `Secure` only if the page comes over https or from this machine. */
function isSignInPossible(baseUrl: string): boolean {
  const { hostname, protocol } = new URL(baseUrl)
  return protocol === 'https:' || isLoopback(hostname)
}
