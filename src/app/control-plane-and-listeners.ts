import { demoTier } from '#demo/demo-tier.ts'
import { AddressRanges } from '#domain/network/address-ranges.ts'
import { PollPace } from '#domain/people/device-poll-interval.ts'
import { encrypt } from '#domain/secrets/encrypt-stored-secrets.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { Store } from '#domain/store-interface.ts'
import type { Emitters } from '#emitters/send-settled-calls-to-emitters.ts'
import { clientOf, controlApp, describedApi, type ControlDeps } from '#http/control-plane-app.ts'
import { DeviceCookies } from '#http/known-device-cookie.ts'
import type { OpenStreams } from '#http/count-open-streams.ts'
import { builtPages } from '#http/pages/built-pages.ts'
import { portalApp } from '#http/portal-app.ts'
import { streamLimits } from '#http/streamed-response.ts'
import {
  boundedServer,
  gatewayRequests,
  requestListener,
  type ServerParts,
} from '#http/dispatch-requests-by-host.ts'
import { storeGauges } from '#telemetry/process-and-store-gauges.ts'
import type { MetricJson } from '#telemetry/counters-and-distributions.ts'
import { scrapeOf } from '#telemetry/metrics-scrape-text.ts'
import { metricsStoreMsMax, withinTime } from '#http/metrics-route.ts'
import { controlRates } from './control-plane-rate-limits.ts'
import { diskSpace } from './data-folder.ts'
import type { GatewayParts } from './assemble-gateway.ts'
import { identityProvider } from './identity-provider.ts'
import { Listeners } from './listening-ports.ts'
import { sharedSecret } from './master-key-ring.ts'
import { passkeyVerifier } from './passkey-verifier.ts'
import { connectionsMaxOf, descriptorsMax } from './capacity-of-process.ts'
import { readinessOf } from './readiness.ts'
import type { SharedComponents } from './shared-components.ts'
import type { SignInParts } from './assemble-sign-ins.ts'
import { smtpMail } from './smtp-mail.ts'
import type { Siblings } from './sibling-workers-interface.ts'

export interface ControlUses {
  readonly parts: GatewayParts
  readonly emitters: Emitters
  readonly signIns: SignInParts
  readonly openStreams: OpenStreams
  /** The store for the server's own work, whose reads have a separate share of the database. */
  readonly ownRows: Store
  readonly ownMetrics: () => Promise<readonly MetricJson[]>
  readonly siblings: Siblings | undefined
  readonly pagesFolder: URL | undefined
}

function controlDeps(
  {
    chance,
    config,
    fault,
    log,
    monotonicMs,
    ring,
    served,
    state,
    store,
    telemetry,
    trustedProxies,
  }: SharedComponents,
  { emitters, openStreams, ownMetrics, ownRows, pagesFolder, parts, siblings, signIns }: ControlUses,
): ControlDeps {
  const { bodies, callTail, gateway, probeAccount } = parts
  const identity = config.oidc && identityProvider(config.oidc, log)
  return {
    devices: new DeviceCookies(sharedSecret(ring)),
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
        'requests of many clients arrive from one address with X-Forwarded-For and share the limits of this address; if the address belongs to your proxy, add the address to TOLLGATE_TRUSTED_PROXIES',
      ),
    streams: { ...streamLimits, open: openStreams },
    trustedProxies,
    pages: builtPages(pagesFolder),
    gatewayOrigins: () => served.addresses.gatewayOrigins,
    demo: config.servesDemo ? demoTier({ ...chance, nowMs: Date.now }) : null,
    onInternal: (err, about) => fault({ err, ...about }, 'a control-plane request failed unexpectedly'),
    readiness: () => readinessOf(store, state.isReady, Date.now()),
    metrics: {
      addresses: config.metricsAddresses && new AddressRanges(config.metricsAddresses),
      scrape: async () => {
        const processes = await (siblings?.metricsOfAll() ?? ownMetrics().then((own) => [own]))
        return scrapeOf([...processes, await storeMetrics(ownRows)])
      },
      scrapeWithoutStore: () => scrapeOf([storeGauges(null, Date.now())]),
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
      releasePorts: (allocated) => served.releasePorts(allocated),
      urls: (application) => served.addresses.urlsOf(application),
      applicationsChanged: async () => {
        await served.read()
        siblings?.tellApplicationsChanged()
      },
    },
  }
}

/** The ports do not listen yet. */
export function listenersOf(
  core: SharedComponents,
  uses: ControlUses,
  refreshHosts: () => Promise<void>,
): Listeners {
  const { chance, config, fault, outbound, served, trustedProxies } = core
  const { gateway } = uses.parts
  const deps = controlDeps(core, uses)
  const control = controlApp(deps)
  // Without a warm start, the first request for the API's description generates it, so that the server listens earlier.
  if (config.warmsUp) describedApi(deps)
  const portal = portalApp(deps)
  const connectionsMax = config.connectionsMax ?? connectionsMaxOf(descriptorsMax())
  const server = {
    gateway,
    control: (request, bindings) => control.fetch(request, bindings),
    portal: (request, { applicationId, incoming }) =>
      portal(request, clientOf(request, incoming, trustedProxies), applicationId),
    hosts: () => served.hosts,
    refreshHosts: config.databaseUrl === null ? null : refreshHosts,
    loopName: outbound.loopName,
    isHttps: {
      control: new URL(config.baseUrl).protocol === 'https:',
      portal: new URL(config.portalUrl.replace('{slug}', 'a')).protocol === 'https:',
    },
    newRequestId: () => idOf('req', chance.newId()),
    onInternal: (err) => fault({ err }, 'request failed: unexpected error'),
  } satisfies ServerParts
  return new Listeners((own) =>
    boundedServer(
      requestListener(server, own),
      config.httpEdge === 'own' ? gatewayRequests(server, own) : null,
      connectionsMax,
    ),
  )
}

/** Metrics that only one process may report. */
async function storeMetrics({ read }: Store): Promise<readonly MetricJson[]> {
  const holds = await withinTime(read.diagnosis.holdsInFlight(), metricsStoreMsMax).catch(() => null)
  return storeGauges(holds, Date.now())
}
