import type { CallOperation } from '#cli/operations/recipe-of-first-request.ts'
import { routeOf } from '#cli/api-client.ts'
import { operationById } from '#cli/operations/operation-table.ts'
import { prepare, type Input } from '#sdk/request.ts'
import { settingsOf } from '#sdk/settings.ts'

export interface OperationRequest {
  readonly method: string
  readonly path: string
  /** Undefined if the request has no body. */
  readonly body: unknown
}

const settings = settingsOf({ token: null, baseUrl: 'http://control.test' })

export function requestOf(operation: string, input: object): OperationRequest {
  const route = routeOf(operationById(operation))
  const { body, method, url } = prepare(route, input as Input, {}, settings)
  return {
    method,
    path: url.slice(settings.baseUrl.length),
    body: typeof body === 'string' ? JSON.parse(body) : undefined,
  }
}

export function operationsBy(
  send: (method: string, path: string, body?: unknown) => Promise<unknown>,
): CallOperation {
  return (operation, input) => {
    const { body, method, path } = requestOf(operation, input)
    return send(method, path, body)
  }
}
