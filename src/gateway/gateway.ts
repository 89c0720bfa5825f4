import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '#domain/errors.ts'
import type { PreviewRoute, TargetCircuit } from '#domain/route-preview.ts'
import type { Arrival } from '#gateway/arrive/arrival.ts'
import { crossOrigin } from '#gateway/arrive/cross-origin.ts'
import { routeOf, type Route } from '#gateway/arrive/routes.ts'
import { callTargets } from '#gateway/decide/call-targets.ts'
import { Configuration } from '#gateway/decide/configuration.ts'
import { DailyUse } from '#gateway/decide/daily-use.ts'
import { targetOfKey } from '#gateway/decide/served-name.ts'
import { WaitingLine } from '#gateway/decide/waiting-line.ts'
import { writeRefusal } from '#gateway/end/write-failure.ts'
import { serveCall } from './call.ts'
import { countTokens } from './count-tokens.ts'
import { listModels } from './list-models.ts'
import { previewRoute } from './preview-route.ts'
import type { GatewayPorts } from './ports.ts'

/** The inference path of every application in this process. */
export interface Gateway {
  /** Answers one request at an application's gateway host. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse, applicationId: string): Promise<void>
  /** Who would answer a call now, for routers.plan. */
  previewRoute: PreviewRoute
  /** The circuits of this process. */
  circuits(): readonly TargetCircuit[]
  /** Calls that have not ended; a call ends after its settle. */
  readonly callsInFlight: number
  /** Refuses new calls from now on; resolves when the last one has ended, or after `withinMs`. */
  drain(withinMs: number): Promise<void>
}

export function createGateway(ports: GatewayPorts): Gateway {
  const configuration = new Configuration(ports.directory, () => ports.clock.nowMs())
  const line = new WaitingLine(ports.limits.heldWait)
  const dailyUse = new DailyUse(ports)
  const targets = callTargets()
  let callsInFlight = 0
  let isDraining = false
  const idle = Promise.withResolvers<void>()
  return {
    previewRoute: (ask) => previewRoute({ ports, configuration, targets }, ask),
    circuits: () =>
      targets.health
        .all(ports.clock.nowMs())
        .map(({ key, ...health }) => ({ ...targetOfKey(key), ...health })),
    get callsInFlight() {
      return callsInFlight
    },
    async handle(request, response, applicationId) {
      const { headers, method = '', url = '' } = request
      const route = routeOf(method, url, headers)
      const id = ports.newId()
      if (headers.origin !== undefined) {
        const answer = await crossOrigin(request, response, { applicationId, configuration })
        if (answer === 'answered') return
        if (answer !== 'goes_on') return writeRefusal({ id, response, route }, answer)
      }
      if (route.kind === 'refused') {
        const failure = await pathFailure(route.failure, applicationId, configuration)
        return writeRefusal({ id, response, route }, failure)
      }
      if (isDraining) {
        response.setHeader('connection', 'close')
        return writeRefusal({ id, response, route }, new Failure('draining'))
      }
      const arrival = { id, response, applicationId, route, ports, configuration, line, dailyUse, targets }
      callsInFlight++
      try {
        await servers[route.kind](arrival)
      } finally {
        callsInFlight--
        if (isDraining && callsInFlight === 0) idle.resolve()
      }
    },
    async drain(withinMs) {
      isDraining = true
      line.close()
      if (callsInFlight === 0) idle.resolve()
      else setTimeout(idle.resolve, withinMs).unref()
      await idle.promise
    },
  }
}

/** Which path was meant does not matter where no path answers any more. */
async function pathFailure(
  failure: Failure,
  applicationId: string,
  configuration: Configuration,
): Promise<Failure> {
  try {
    const config = await configuration.config(applicationId)
    return config?.isArchived === true ? new Failure('application_archived', { slug: config.slug }) : failure
  } catch {
    // The store is away, which a wrong path need not know.
    return failure
  }
}

const servers: Readonly<Record<Route['kind'], (arrival: Arrival) => Promise<void>>> = {
  answer: serveCall,
  count: countTokens,
  models: listModels,
  model: listModels,
}
