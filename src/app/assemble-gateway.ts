import { CustomerUrlPost, type CustomerUrlPostOptions } from '#providers/customer-url-post.ts'
import { accountProbe } from '#providers/account-probe.ts'
import type { ClosableUpstream } from '#providers/send-calls-to-provider.ts'
import { Emitters } from '#emitters/send-settled-calls-to-emitters.ts'
import { derivedSecret } from '#domain/secrets/secret-derived-from-master-key.ts'
import { BatchTags } from '#domain/secrets/ids-of-batches.ts'
import { CacheTags } from '#domain/secrets/ids-of-cached-contents.ts'
import { ContainerTags } from '#domain/secrets/ids-of-containers.ts'
import { ConversationTags } from '#domain/secrets/ids-of-conversations.ts'
import { FileTags } from '#domain/secrets/ids-of-files.ts'
import { StateTags } from '#domain/secrets/ids-of-stored-responses.ts'
import type { AdmissionLimits } from '#gateway/overload/admit-or-queue-requests.ts'
import { BodyIntake } from '#gateway/overload/limit-memory-of-bodies.ts'
import { ReadsAfterDisconnect } from '#gateway/call/limit-reads-after-disconnect.ts'
import { BatchList } from '#gateway/list-of-created-batches.ts'
import { ConversationLengthList } from '#gateway/stored-conversation-lengths.ts'
import { FileList } from '#gateway/list-of-provider-stored-files.ts'
import { createGateway, type Gateway } from '#gateway/gateway.ts'
import {
  gatewayLimits,
  type GatewayLimits,
  type TokenCounter,
} from '#gateway/call/dependencies-of-gateway.ts'
import type { EndedCallNotifications } from '#tail/notify-processes-of-ended-calls.ts'
import { CallTailHub } from '#tail/send-ended-calls-to-readers.ts'
import type { MetricJson } from '#telemetry/counters-and-distributions.ts'
import type { Config } from './server-configuration.ts'
import { controlRates } from './control-plane-rate-limits.ts'
import { holderReads } from './rate-limited-reads-of-key-owner.ts'
import { openSealed } from './master-key-ring.ts'
import { connectionsMaxOf, descriptorsMax, heapShare, loopTurn } from './capacity-of-process.ts'
import { recordedProbe } from './record-probes.ts'
import type { SharedComponents } from './shared-components.ts'
import { upstreams } from './choose-upstream-by-account-kind.ts'

export interface GatewayParts {
  readonly gateway: Gateway
  readonly upstream: ClosableUpstream
  readonly bodies: BodyIntake
  readonly callTail: CallTailHub
  readonly probeAccount: ReturnType<typeof accountProbe>
  /** Counts the provider responses that are still read although their clients have disconnected. */
  readonly drains: ReadsAfterDisconnect
  readonly files: FileList
  readonly batches: BatchList
}

/** Opens no connection before the first request. */
export function assembleGateway(
  core: SharedComponents,
  {
    limits,
    link,
    tokens,
  }: {
    readonly limits: Partial<GatewayLimits> | undefined
    readonly link: EndedCallNotifications | null
    readonly tokens: TokenCounter
  },
): GatewayParts {
  const { chance, config, log, monotonicMs, names, outbound, ring, served, store, telemetry } = core
  const { newId } = chance
  const upstream = upstreams({
    allowPrivate: config.allowPrivateProviders,
    names,
    ...outbound,
    nowMs: Date.now,
    openCredential: ({ id, organizationId, sealedCredential }) =>
      sealedCredential && openSealed(ring, sealedCredential, { organizationId, id, what: 'credential' }),
  })
  const callTail = new CallTailHub({
    store: store.rows,
    nowMs: Date.now,
    link,
    onFault: (err) => log.warn({ err }, 'reading finished requests for event streams failed'),
  })
  const bounds = gatewayBounds(config, limits)
  const bodies = new BodyIntake(bounds)
  const drains = new ReadsAfterDisconnect(bounds)
  const probeAccount = accountProbe(upstream, { monotonicMs, newId })
  const files = new FileList({
    store: store.rows,
    upstream,
    log,
    nowMs: Date.now,
    newId,
    everyMs: bounds.filesEveryMs,
  })
  const batches = new BatchList({
    store: store.rows,
    upstream,
    background: store.background,
    log,
    nowMs: Date.now,
    newId,
    everyMs: bounds.filesEveryMs,
  })
  const gateway = createGateway({
    ledger: store.ledger,
    directory: store.directory,
    background: store.background,
    slices: store.slices,
    upstream,
    clock: { nowMs: Date.now, monotonicMs },
    random: Math.random,
    newId,
    tokens,
    log,
    warnOfCall: (organizationId, fields, message) => telemetry.warnOfCall(organizationId, fields, message),
    limits: bounds,
    bodies,
    stateTags: new StateTags(ring),
    cacheTags: new CacheTags(ring),
    containerTags: new ContainerTags(ring),
    conversationTags: new ConversationTags(ring),
    conversations: new ConversationLengthList(store.rows),
    fileTags: new FileTags(ring),
    files,
    batchTags: new BatchTags(ring),
    batches,
    gatewayUrl: (slug) => served.addresses.gatewayOf(slug),
    admission: {
      monotonicMs,
      turn: loopTurn,
      memoryShare: heapShare(monotonicMs),
      isStoreBusy: (applicationId) => store.isLedgerBusyFor(applicationId),
      onRefused: (figures) => telemetry.overloaded(figures),
    },
    holder: holderReads(store.rows, controlRates(config).credential, monotonicMs),
    drains,
    trustedProxies: core.trustedProxies,
    portalUrl: (slug) => served.addresses.portalOf(slug),
    isConsole: (origin) => served.addresses.consoleOrigins.has(origin),
    onRefused: (refusal) => telemetry.refused(refusal),
    onCallEnded(ended) {
      telemetry.callEnded(ended)
      callTail.told(ended)
    },
    probeTarget: recordedProbe(probeAccount, { log, newId, nowMs: Date.now, store: store.rows }),
  })
  return { gateway, upstream, bodies, callTail, probeAccount, drains, files, batches }
}

function gatewayBounds(config: Config, limits: Partial<GatewayLimits> | undefined): GatewayLimits {
  return {
    ...gatewayLimits,
    heldWaitMs: config.heldWaitMs,
    dailyUse: { isShared: config.databaseUrl !== null, refreshMs: 1_000 },
    bodyBytesMax: config.bodyBytesMax,
    admission: admissionLimits(config),
    ...limits,
  }
}

/**
 * If the operator sets a limit, the process may lower it, but never raise it
 * (gateway/overload/adjust-limits-to-load.ts).
 */
function admissionLimits({ connectionsMax, inFlightMax, waitingMax, waitingMs }: Config): AdmissionLimits {
  const { admission } = gatewayLimits
  const connections = connectionsMax ?? connectionsMaxOf(descriptorsMax())
  const inFlight = inFlightMax ?? Math.min(admission.inFlightMax, connections ?? Infinity)
  const waiting = waitingMax ?? admission.waitingMax
  return {
    ...admission,
    inFlightMax: inFlight,
    inFlightMin: Math.min(admission.inFlightMin, inFlight),
    waitingMax: waiting,
    waitMsEnd: waitingMs,
    waitingMin: Math.min(admission.waitingMin, waiting),
  }
}

/**
 * Returns the emitters of settled usage, without starting them.
 * @param options set only by tests
 */
export function emittersOf(
  { chance, config, log, names, outbound, ring, store }: SharedComponents,
  gateway: Gateway,
  options: Pick<CustomerUrlPostOptions, 'connector'> | undefined,
): Emitters {
  return new Emitters({
    progress: store.emitters,
    newPoster: (organizationId) =>
      new CustomerUrlPost({
        resolve: names.of(organizationId),
        ...outbound,
        ...options,
        isUnchecked: options !== undefined,
      }),
    openSecret: (sealed, { id, organizationId }) =>
      openSealed(ring, sealed, { organizationId, id, what: 'secret' }),
    derivedSecret: (purpose) => derivedSecret(ring, purpose),
    openCallIds: () => gateway.openCallIds,
    isLedgerAway: () => store.isLedgerAway,
    epoch: store.epoch,
    isShared: config.databaseUrl !== null,
    newId: chance.newId,
    nowMs: Date.now,
    log,
  })
}

export function processMetrics(
  { store, telemetry }: SharedComponents,
  { bodies, drains, gateway, upstream }: GatewayParts,
  emitters: Emitters,
): () => Promise<readonly MetricJson[]> {
  return () =>
    telemetry.metrics({
      callsInFlight: () => gateway.callsInFlight,
      admission: () => gateway.admission(),
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
}
