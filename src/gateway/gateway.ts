import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '#domain/errors.ts'
import { answerFailure } from '#gateway/relay/response-head.ts'
import { serveCall } from './call.ts'
import { Configuration } from '#gateway/decide/configuration.ts'
import { countTokens } from './count-tokens.ts'
import { listModels } from './list-models.ts'
import type { GatewayPorts } from './ports.ts'
import { routeOf } from '#gateway/arrive/routes.ts'
import type { Route } from '#gateway/arrive/routes.ts'
import { WaitingLine } from '#gateway/decide/waiting-line.ts'

/** The inference path of every application in this process. */
export interface Gateway {
  /** Answers one request at an application's gateway host. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse, applicationId: string): Promise<void>
  /** Calls that have not ended, settle included. */
  readonly callsInFlight: number
  /** Takes no new calls from now on; resolves when the last one has ended, or after `withinMs`. */
  drain(withinMs: number): Promise<void>
}

export function createGateway(ports: GatewayPorts): Gateway {
  const configuration = new Configuration(ports.directory, () => ports.clock.nowMs())
  const line = new WaitingLine(ports.limits.heldWait)
  let callsInFlight = 0
  let isDraining = false
  const idle = Promise.withResolvers<void>()
  return {
    get callsInFlight() {
      return callsInFlight
    },
    async handle(request, response, applicationId) {
      const route = routeOf(request.method ?? '', request.url ?? '', request.headers)
      if (route.kind === 'refused') return answerFailure(response, route.failure, ports, route.wire)
      if (isDraining) {
        response.setHeader('connection', 'close')
        return answerFailure(response, new Failure('draining'), ports, route.wire)
      }
      callsInFlight++
      try {
        await servers[route.kind](request, response, applicationId, ports, configuration, route, line)
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

type Server = (
  request: IncomingMessage,
  response: ServerResponse,
  applicationId: string,
  ports: GatewayPorts,
  configuration: Configuration,
  route: Route,
  line: WaitingLine,
) => Promise<void>

const servers: Readonly<Record<Route['kind'], Server>> = {
  answer: serveCall,
  count: countTokens,
  models: listModels,
  model: listModels,
}
