import type { ServerResponse } from 'node:http'
import { failureHeaders } from '#domain/answer-headers.ts'
import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/id.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { FormatName } from '#wire/wire-names.ts'
import { wires } from '#wire/wires.ts'
import { routeOf } from '#gateway/arrive/routes.ts'
import { largeBodyBytesMin } from '#gateway/call/body-intake.ts'
import type { GatewayPorts } from '#gateway/call/ports.ts'
import { headersOf } from '#gateway/relay/write-response.ts'
import { refusalStatus, writeRefusal } from './write-failure.ts'

/**
 * Rejects a request because the process has no capacity for it. The response is prepared for each format, because an
 * overloaded process writes thousands of them in a second. Its client retries after a random time, so that clients which
 * were rejected together do not return together.
 *
 * The connection is kept if the rest of the request is small. A new connection would cost more than reading it.
 */
export function writeOverloaded(response: ServerResponse, ports: GatewayPorts): void {
  if (response.destroyed) return
  const { req: request } = response
  const { headers, method = '', url = '' } = request
  const route = routeOf(method, url, headers)
  const retryMs = Math.ceil(retryMsMin + ports.random() * (retryMsEnd - retryMsMin))
  const seconds = Math.ceil(retryMs / 1000)
  const id = ports.newId()
  const isSmall = headers['transfer-encoding'] === undefined && headers.expect === undefined
  if (!isSmall || Number(headers['content-length'] ?? 0) > largeBodyBytesMin) {
    writeRefusal({ id, ports, response, route }, overloaded(seconds), null)
    return
  }
  const { body, more, status } = preparedFor(route.wire, seconds)
  const own = headersOf({ id, response, route }, 'application/json')
  own.push('content-length', String(body.length), 'retry-after-ms', String(retryMs), ...more)
  response.writeHead(status, own).end(body.replace(placeholder, id), 'latin1')
}

/** The official clients of OpenAI and Anthropic read the milliseconds, and others the seconds. */
const retryMsMin = 1_000
const retryMsEnd = 4_000

interface Prepared {
  readonly status: number
  /** Has the placeholder where the wire shows the ID of the request. */
  readonly body: ByteText
  readonly more: readonly string[]
}

/** Has the length of an ID's suffix. */
const placeholder = '0'.repeat(26)

/** By format and seconds. */
const prepared = new Map<string, Prepared>()

function preparedFor(wire: FormatName, seconds: number): Prepared {
  const name = `${wire} ${seconds}`
  const known = prepared.get(name)
  if (known !== undefined) return known
  const failure = overloaded(seconds)
  const { code, details, message, param, status } = failure
  const made = {
    status: refusalStatus({ route: { wire } }, failure),
    body: wires[wire].errorBody({ status, code, message, param, details }, idOf('req', placeholder)),
    more: Object.entries(failureHeaders(failure)).flat(),
  }
  prepared.set(name, made)
  return made
}

function overloaded(retryAfterSeconds: number): Failure {
  return new Failure('overloaded', { retryAfterSeconds })
}
