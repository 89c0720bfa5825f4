import { failureHeaders } from '#domain/cache-charge-and-retry-headers.ts'
import type { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { wires } from '#wire/table-of-wires.ts'
import { errorTypeOf } from '#wire/converse/errors.ts'
import type { FormatName } from '#wire/names-of-wires-and-tasks.ts'
import { contextFull } from '#wire/read-provider-error.ts'
import { isRefusal } from '#domain/rejected-request-facts.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import type { ClientResponse } from '#gateway/call/client-exchange-interface.ts'
import { clientAddress } from '#gateway/arrive/client-address.ts'
import type { Call } from '#gateway/call/call-state-types.ts'
import {
  cutWhenUnread,
  headersOf,
  inFraming,
  noteFirstByte,
  rateHeadersOf,
  withSvc,
  writeHead,
} from '#gateway/relay/write-response-to-client.ts'
import type { Asked } from '#gateway/relay/write-response-to-client.ts'
import { ProviderFailure } from '#gateway/relay/failure-with-provider-error.ts'
import type { Caller } from '#gateway/call/caller-of-request.ts'

export function statusOf(call: Call, failure: Failure): number {
  return call.response.headersSent || isToldInStream(call, failure) ? 200 : refusalStatus(call, failure)
}

/** Clients of the messages wire expect Anthropic's status for an overload, 529. */
export function refusalStatus({ route }: Pick<Asked, 'route'>, { code, status }: Failure): number {
  return code === 'overloaded' && errorWireOf(route) === 'messages' ? 529 : status
}

/** All errors of Bedrock's runtime have the format of Converse. */
export function errorWireOf({ isBedrock, wire }: Asked['route']): FormatName {
  return isBedrock === true ? 'converse' : wire
}

export function errorHeaders(format: FormatName, error: WireError): readonly string[] {
  return format === 'converse' ? ['x-amzn-errortype', errorTypeOf(error)] : noHeaders
}

const noHeaders: readonly string[] = []

/**
 * Sends an HTTP status and an error body. If the client has already received the status 200, sends an error event of
 * the stream instead.
 */
export function writeFailure(call: Call, failure: Failure): void {
  const { response } = call
  if (response.destroyed || response.writableEnded) return
  // Speech cannot contain an error, and a normal end would make the response seem complete.
  if (response.headersSent && call.request?.responseType !== undefined) return void response.destroy()
  if (response.headersSent || isToldInStream(call, failure)) {
    writeHead(call, null)
    const error = wireErrorOf(failure, true)
    const rest = call.stream?.errorTail(error, idOf('req', call.id)) ?? ''
    response.end(inFraming(call, withSvc(call, rest)), 'latin1')
    cutWhenUnread(call)
    return
  }
  noteFirstByte(call)
  writeRefusal(call, failure, call.caller, rateHeadersOf(call))
}

/**
 * If the context of a streamed response is full, OpenAI returns the status 200 and an event with the failure. After
 * this event, Codex shortens its conversation and continues. After an error status, Codex stops (codex-rs,
 * sse/responses.rs).
 */
function isToldInStream({ route, stream }: Call, failure: Failure): boolean {
  return (
    route.wire === 'responses' &&
    stream !== null &&
    failure instanceof ProviderFailure &&
    failure.said.code === contextFull
  )
}

/**
 * Must be called before anything was sent to the client.
 * @param more additional headers, as alternating names and values
 */
export function writeRefusal(
  asked: Asked & Pick<Arrival, 'ports'>,
  failure: Failure,
  caller: Caller | null,
  more: readonly string[] = [],
): void {
  const { id, response, route } = asked
  if (isRefusal(failure.status)) noteRefusal(asked, failure, caller)
  const { req: request } = response
  const format = errorWireOf(route)
  const error = wireErrorOf(failure, false)
  const body = wires[format].errorBody(error, idOf('req', id))
  const headers = headersOf(asked, 'application/json')
  headers.push(
    'content-length',
    String(body.length),
    ...Object.entries(failureHeaders(failure)).flat(),
    ...errorHeaders(format, error),
    ...more,
  )
  // On an open connection, the unread rest of the body would be parsed as the next request.
  if (!request.complete) headers.push('connection', 'close')
  response.writeHead(refusalStatus(asked, failure), headers)
  if (request.complete || request.headers.expect !== undefined) response.end(body, 'latin1')
  else endWhenSent(response, body)
}

function noteRefusal(
  { id, ports, response, route }: Asked & Pick<Arrival, 'ports'>,
  { code, status }: Failure,
  caller: Caller | null,
): void {
  ports.onRefused({
    plane: 'gateway',
    operation: route.wire,
    status,
    code,
    address: clientAddress(response.req, ports.trustedProxies),
    credentialId: caller && caller.key.keyId,
    requestId: idOf('req', id),
  })
}

/**
 * Gives the client a moment to stop sending. If the server closes a connection while bytes arrive, the connection is
 * reset and the response is lost (RFC 9112 9.6).
 */
function endWhenSent(response: ClientResponse, body: ByteText): void {
  response.write(body, 'latin1')
  const end = (): void => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, lingerMs)
  response.req.once('end', end).once('close', end).resume()
}

const lingerMs = 1_000

/**
 * @param isStarted whether the client has received part of the response; if so, it gets the provider's own error for
 *   any status
 */
export function wireErrorOf(failure: Failure, isStarted: boolean): WireError {
  const { code, details, message, param, status } = failure
  // An error of a failing provider would reveal internals, and the caller cannot fix the failure.
  if (failure instanceof ProviderFailure && (isStarted || status < 500)) return failure.wireError
  return { status, code, message, param, details }
}
