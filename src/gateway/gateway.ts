import { Failure } from '#domain/errors.ts'
import type { PreviewRoute, TargetCircuit } from '#domain/route-preview-interface.ts'
import type { Arrival, Route } from '#gateway/call/arrived-request-types.ts'
import type { ClientRequest, ClientResponse } from '#gateway/call/client-exchange-interface.ts'
import { waitMsOf } from '#gateway/arrive/wait-limit-from-client-timeout.ts'
import { crossOrigin } from '#gateway/arrive/cross-origin-requests.ts'
import { type NoRoute, routeOf } from '#gateway/arrive/find-route-of-path.ts'
import { queueOwners } from '#gateway/arrive/owners-of-waiting-requests.ts'
import { BackgroundResponseWatcher } from '#gateway/background/background-response-watcher.ts'
import { BatchWatcher } from '#gateway/background/batch-watcher.ts'
import { Admission, type AdmissionFigures } from '#gateway/overload/admit-or-queue-requests.ts'
import { callTargets } from '#gateway/call/health-budgets-of-targets.ts'
import { Configuration } from '#gateway/call/configuration-cache.ts'
import { DailyUse } from '#gateway/call/count-daily-limit-use.ts'
import { targetOfKey } from '#gateway/call/targets-of-model-name.ts'
import { SharedLimits } from '#gateway/call/enforce-shared-limits.ts'
import { WaitingLine } from '#gateway/call/calls-waiting-for-money.ts'
import { WrongKeys } from '#gateway/overload/limit-wrong-keys.ts'
import { writeOverloaded } from '#gateway/end/write-overloaded-response.ts'
import { writeRefusal } from '#gateway/end/write-error-response.ts'
import { serveCall } from './serve-call.ts'
import { countTokens } from './serve-token-count.ts'
import { listModels } from './serve-model-list.ts'
import { readBalance, readUsage } from './serve-balance-and-usage.ts'
import { serveCachedContents } from './serve-cached-contents.ts'
import { serveBatches } from './serve-batches.ts'
import { serveFiles } from './serve-uploaded-files.ts'
import { serveContainer } from './serve-container.ts'
import { serveConversation } from './serve-conversation.ts'
import { serveStoredResponse } from './serve-stored-response.ts'
import { previewRoute } from './preview-route.ts'
import type { GatewayPorts } from '#gateway/call/dependencies-of-gateway.ts'

export interface Gateway {
  /** Writes the response immediately, or when the process has capacity. Never throws. */
  handle(request: ClientRequest, response: ClientResponse, applicationId: string): void
  /** Returns which targets would serve a call now, for `routers.plan`. */
  previewRoute: PreviewRoute
  circuits(): readonly TargetCircuit[]
  /** A call ends after its settle. */
  readonly callsInFlight: number
  readonly callsWaiting: number
  admission(): AdmissionFigures
  /**
   * IDs of the calls in flight, without prefix, including background responses. Excludes ended calls whose settle is
   * still queued in the ledger.
   */
  readonly openCallIds: Iterable<string>
  /**
   * Watches the background responses whose holds belong to this process. Call this at the start, and after taking over
   * holds of ended processes.
   */
  resumeBackground(): Promise<void>
  /** Rejects new calls. Resolves when the last call has ended, or after `withinMs`. */
  drain(withinMs: number): Promise<void>
}

export function createGateway(ports: GatewayPorts): Gateway {
  const configuration = new Configuration(ports.directory, () => ports.clock.nowMs())
  const wrongKeys = new WrongKeys(ports.limits.wrongKeys, {
    directory: ports.directory,
    monotonicMs: () => ports.clock.monotonicMs(),
  })
  const line = new WaitingLine(ports.limits.heldWait)
  const dailyUse = new DailyUse(ports)
  const sharedLimits = new SharedLimits(ports.slices, ports.clock)
  const openCallIds = new Set<string>()
  const admission = new Admission(ports.limits.admission, ports.admission)
  const targets = callTargets()
  const background = new BackgroundResponseWatcher(ports, configuration, openCallIds)
  const batches = new BatchWatcher(ports, configuration)
  const parts = {
    ports,
    configuration,
    wrongKeys,
    line,
    dailyUse,
    sharedLimits,
    targets,
    background,
    batches,
  }
  let isDraining = false
  let idle = Promise.withResolvers<void>()
  const refusePath = async (asked: Asked, failure: Failure, applicationId: string): Promise<void> =>
    writeRefusal(asked, await pathFailure(failure, applicationId, configuration), null)
  /** Returns synchronously if the response is written immediately. */
  const serve = (asked: Asked, applicationId: string): Promise<void> | void => {
    const { id, response, route } = asked
    if (route.kind === 'refused') return refusePath(asked, route.failure, applicationId)
    if (isDraining) {
      response.setHeader('connection', 'close')
      return writeRefusal(asked, new Failure('draining'), null)
    }
    return servers[route.kind]({ id, response, applicationId, route, ...parts })
  }
  const serveCrossOrigin = async (asked: Asked, applicationId: string): Promise<void> => {
    const { isConsole } = ports
    const { response } = asked
    const crossed = await crossOrigin(response.req, response, { applicationId, configuration, isConsole })
    if (crossed === 'answered') return
    if (crossed !== 'goes_on') return writeRefusal(asked, crossed, null)
    await serve(asked, applicationId)
  }
  /** Never rejects. */
  const begin = async (
    request: ClientRequest,
    response: ClientResponse,
    applicationId: string,
  ): Promise<void> => {
    const id = ports.newId()
    openCallIds.add(id)
    try {
      const { headers, method = '', url = '' } = request
      const asked = { id, response, route: routeOf(method, url, headers), ports }
      await (headers.origin === undefined ? serve : serveCrossOrigin)(asked, applicationId)
    } finally {
      openCallIds.delete(id)
      admission.ended()
      if (isDraining && openCallIds.size === 0) idle.resolve()
    }
  }
  const wait = (request: ClientRequest, response: ClientResponse, applicationId: string): void => {
    const withinMs = waitMsOf(request.headers, ports.limits.admission.waitMsEnd)
    admission.wait(queueOwners(request, applicationId, configuration), withinMs, {
      isGone: () => response.destroyed,
      start: () => void begin(request, response, applicationId),
      isEarly: request.isEarly === true,
      refuse: (waitMs) => {
        writeOverloaded(response, waitMs, ports)
        // A proxy sends the requests of many clients over one connection, so its connections never rest.
        const isOfProxy = ports.trustedProxies?.has(request.socket.remoteAddress ?? '') === true
        return isOfProxy ? null : (response.restAfter?.bind(response) ?? null)
      },
    })
  }
  return {
    get openCallIds() {
      return [...openCallIds, ...background.callIds, ...batches.callIds]
    },
    resumeBackground: async () => void (await Promise.all([background.resume(), batches.resume()])),
    admission: () => admission.figures(),
    previewRoute: (ask) => previewRoute({ ports, configuration, targets }, ask),
    circuits: () =>
      targets.health
        .all(ports.clock.nowMs())
        .map(({ key, ...health }) => ({ ...targetOfKey(key), ...health })),
    get callsInFlight() {
      return openCallIds.size
    },
    get callsWaiting() {
      return line.length
    },
    handle(request, response, applicationId) {
      if (admission.startsNow(applicationId, request.isEarly)) void begin(request, response, applicationId)
      else wait(request, response, applicationId)
    },
    async drain(withinMs) {
      isDraining = true
      line.close()
      background.close()
      batches.stop()
      admission.close()
      if (openCallIds.size > 0) {
        idle = Promise.withResolvers<void>()
        setTimeout(idle.resolve, withinMs).unref()
        await idle.promise
      }
      await sharedLimits.close()
    },
  }
}

type Asked = Pick<Arrival, 'id' | 'ports' | 'response'> & { readonly route: Route | NoRoute }

/** If the application is archived, reports this instead of the unknown path. */
async function pathFailure(
  failure: Failure,
  applicationId: string,
  configuration: Configuration,
): Promise<Failure> {
  try {
    const config = await configuration.config(applicationId)
    return config?.isArchived === true ? new Failure('application_archived', { slug: config.slug }) : failure
  } catch {
    // Without the store, report the unknown path.
    return failure
  }
}

const servers: Readonly<Record<Route['kind'], (arrival: Arrival) => Promise<void>>> = {
  answer: serveCall,
  count: countTokens,
  models: listModels,
  model: listModels,
  balance: readBalance,
  usage: readUsage,
  stored: serveStoredResponse,
  container: serveContainer,
  conversation: serveConversation,
  files: serveFiles,
  batches: serveBatches,
  caches: serveCachedContents,
}
