import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '#domain/errors.ts'
import { answerFailure } from './answer.ts'
import { serveChat } from './call.ts'
import { Configuration } from './configuration.ts'
import { listModels } from './list-models.ts'
import type { GatewayPorts } from './ports.ts'

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
  const configuration = new Configuration(ports.directory)
  let callsInFlight = 0
  let isDraining = false
  const idle = Promise.withResolvers<void>()
  return {
    get callsInFlight() {
      return callsInFlight
    },
    async handle(request, response, applicationId) {
      const route = routeOf(request)
      if (route instanceof Failure) return answerFailure(response, route, ports)
      if (isDraining) {
        response.setHeader('connection', 'close')
        return answerFailure(response, new Failure('draining'), ports)
      }
      callsInFlight++
      try {
        if (route === 'chat') await serveChat(request, response, applicationId, ports, configuration)
        else await listModels(request, response, applicationId, ports, configuration)
      } finally {
        callsInFlight--
        if (isDraining && callsInFlight === 0) idle.resolve()
      }
    },
    async drain(withinMs) {
      isDraining = true
      if (callsInFlight === 0) idle.resolve()
      else setTimeout(idle.resolve, withinMs).unref()
      await idle.promise
    },
  }
}

/** Paths are matched whole; a query is allowed and ignored. */
function routeOf(request: IncomingMessage): 'chat' | 'models' | Failure {
  const url = request.url ?? ''
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  const method = request.method ?? ''
  if (path === '/v1/chat/completions') {
    return method === 'POST' ? 'chat' : new Failure('method_not_allowed', { method, allowed: 'POST' })
  }
  if (path === '/v1/models') {
    return method === 'GET' ? 'models' : new Failure('method_not_allowed', { method, allowed: 'GET' })
  }
  return new Failure('no_such_path', { method, path: path.slice(0, 200) })
}
