import { failureHeaders } from '#domain/cache-charge-and-retry-headers.ts'
import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { FormatName } from '#wire/names-of-wires-and-tasks.ts'
import { wires } from '#wire/table-of-wires.ts'
import { routeOf } from '#gateway/arrive/find-route-of-path.ts'
import { largeBodyBytesMin } from '#gateway/overload/limit-memory-of-bodies.ts'
import type { ClientResponse } from '#gateway/call/client-exchange-interface.ts'
import type { GatewayPorts } from '#gateway/call/dependencies-of-gateway.ts'
import { headersOf } from '#gateway/relay/write-response-to-client.ts'
import { errorHeaders, errorWireOf, refusalStatus, writeRefusal } from './write-error-response.ts'

/**
 * Responses are prepared, because an overloaded process writes thousands of them in a second. Retry-After is random, so
 * that clients that were rejected together do not retry together.
 *
 * If the unread rest of the request is small, the connection stays open, because reading the rest costs less than a new
 * connection.
 */
export function writeOverloaded(response: ClientResponse, waitMs: number, ports: GatewayPorts): void {
  if (response.destroyed) return
  const { req: request } = response
  const { headers, method = '', url = '' } = request
  const route = routeOf(method, url, headers)
  const retryMs = Math.ceil(waitMs + ports.random() * retryRangeMs)
  const seconds = Math.ceil(retryMs / 1000)
  const id = ports.newId()
  const isSmall = headers['transfer-encoding'] === undefined && headers.expect === undefined
  if (!isSmall || Number(headers['content-length'] ?? 0) > largeBodyBytesMin) {
    writeRefusal({ id, ports, response, route }, overloaded(seconds), null)
    return
  }
  const { body, more, status } = preparedFor(errorWireOf(route), seconds)
  const own = headersOf({ id, response, route }, 'application/json')
  own.push('content-length', String(body.length), 'retry-after-ms', String(retryMs), ...more)
  response.writeHead(status, own).end(body.replace(placeholder, id), 'latin1')
}

/** The official clients of OpenAI and Anthropic read `retry-after-ms`. Other clients read `retry-after`. */
const retryRangeMs = 3_000

interface Prepared {
  readonly status: number
  readonly body: ByteText
  readonly more: readonly string[]
}

/** The placeholder is as long as the suffix of an ID. */
const placeholder = '0'.repeat(26)

const prepared = new Map<string, Prepared>()

function preparedFor(wire: FormatName, seconds: number): Prepared {
  const name = `${wire} ${seconds}`
  const known = prepared.get(name)
  if (known !== undefined) return known
  const failure = overloaded(seconds)
  const { code, details, message, param, status } = failure
  const error = { status, code, message, param, details }
  const made = {
    status: refusalStatus({ route: { wire } }, failure),
    body: wires[wire].errorBody(error, idOf('req', placeholder)),
    more: [...Object.entries(failureHeaders(failure)).flat(), ...errorHeaders(wire, error)],
  }
  prepared.set(name, made)
  return made
}

function overloaded(retryAfterSeconds: number): Failure {
  return new Failure('overloaded', { retryAfterSeconds })
}
