import type { ServerResponse } from 'node:http'
import { failureHeaders } from '#domain/answer-headers.ts'
import type { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/id.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { WireError } from '#wire/wire-error.ts'
import { wires } from '#wire/wires.ts'
import { contextFull } from '#wire/provider-error.ts'
import { isRefusal } from '#domain/refusals.ts'
import type { Arrival } from '#gateway/call/arrival.ts'
import { clientAddress } from '#gateway/arrive/client-address.ts'
import type { Call } from '#gateway/call/call-states.ts'
import {
  cutWhenUnread,
  headersOf,
  noteFirstByte,
  rateHeadersOf,
  withSvc,
  writeHead,
} from '#gateway/relay/write-response.ts'
import type { Asked } from '#gateway/relay/write-response.ts'
import { ProviderFailure } from '#gateway/relay/upstream-failure.ts'
import type { Caller } from '#gateway/call/caller.ts'

/** Returns the HTTP status of a call's failure. */
export function statusOf(call: Call, failure: Failure): number {
  return call.response.headersSent || isToldInStream(call, failure) ? 200 : refusalStatus(call, failure)
}

/**
 * Returns the status of a failure before the response has begun. Clients of messages expect Anthropic's own status for
 * an overload.
 */
export function refusalStatus({ route }: Pick<Asked, 'route'>, { code, status }: Failure): number {
  return code === 'overloaded' && route.wire === 'messages' ? 529 : status
}

/**
 * Writes a call's failure to the client. If nothing was sent yet, it is written as the status and body of the wire.
 * Otherwise it is written as the wire's error frame, because the status was already 200.
 */
export function writeFailure(call: Call, failure: Failure): void {
  const { response } = call
  if (response.destroyed || response.writableEnded) return
  if (response.headersSent || isToldInStream(call, failure)) {
    writeHead(call, null)
    const error = wireErrorOf(failure, true)
    response.end(withSvc(call, call.stream?.errorTail(error, idOf('req', call.id)) ?? ''), 'latin1')
    cutWhenUnread(call)
    return
  }
  noteFirstByte(call)
  writeRefusal(call, failure, call.caller, rateHeadersOf(call))
}

/**
 * Returns whether the failure is reported inside the stream. OpenAI reports a full context of a streamed response by
 * failing the response under status 200. Codex then shortens its conversation and continues, but it does not do so for
 * any error status (codex-rs, sse/responses.rs).
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
 * Writes a failure as the status and body of the wire. Nothing may have been sent before.
 * @param caller null if unknown
 * @param more further headers, as names and values in turn
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
  const body = wires[route.wire].errorBody(wireErrorOf(failure, false), idOf('req', id))
  const headers = headersOf(asked, 'application/json')
  headers.push(
    'content-length',
    String(body.length),
    ...Object.entries(failureHeaders(failure)).flat(),
    ...more,
  )
  // The rest of a request that was rejected before it was read must not be parsed as the next request.
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
 * Sends the whole response immediately to a client that is still sending, and gives the client a moment to stop.
 * Closing a connection while bytes arrive resets it, and the response is lost (RFC 9112 9.6). Bytes that arrive in the
 * meantime are read and discarded.
 */
function endWhenSent(response: ServerResponse, body: ByteText): void {
  response.write(body, 'latin1')
  const end = (): void => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, lingerMs)
  response.req.once('end', end).once('close', end).resume()
}

const lingerMs = 1_000

/** @param isStarted whether part of the response was sent; the provider's error then ends it, with any status */
function wireErrorOf(failure: Failure, isStarted: boolean): WireError {
  const { code, details, message, param, status } = failure
  // A fault behind the gateway would reveal its internal structure, and the caller cannot fix it.
  if (failure instanceof ProviderFailure && (isStarted || status < 500)) return failure.wireError
  return { status, code, message, param, details }
}
