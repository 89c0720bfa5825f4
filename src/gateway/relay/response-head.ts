import type { ServerResponse } from 'node:http'
import { idOf } from '#domain/id.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { Failure } from '#domain/errors.ts'
import type { WireError } from '#wire/stream/answer-stream.ts'
import { wires } from '#wire/wires.ts'
import { contextFull } from '#wire/provider-error.ts'
import type { WireName } from '#wire/names.ts'
import type { Call } from '#gateway/open-call.ts'
import type { GatewayPorts } from '#gateway/ports.ts'
import { ProviderFailure } from './upstream-failure.ts'

/** On every answer: it is one person's, and means what it says it is. */
export const privateHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/** The head of an answer, once; and the moment of its first byte. */
export function writeHead(call: Call, contentLength: number | null): void {
  const { response } = call
  if (response.headersSent) return
  noteFirstByte(call)
  const requestId = idOf('req', call.id)
  const headers: string[] = [
    'content-type',
    contentTypeOf(call),
    'x-request-id',
    requestId,
    'cache-control',
    privateHeaders['cache-control'],
    'x-content-type-options',
    privateHeaders['x-content-type-options'],
  ]
  if (call.route.wire === 'messages') headers.push('request-id', requestId)
  if (contentLength !== null) headers.push('content-length', String(contentLength))
  if (call.reserved?.reservation.isClamped) headers.push('x-svc-abort-reason', 'max_tokens_clamped')
  const lost = call.reserved?.dispatch.lost ?? []
  if (lost.length > 0) headers.push('x-svc-conversion-lost', lostText(lost))
  response.writeHead(200, headers)
}

function contentTypeOf({ request }: Call): string {
  return request?.isStream === true && !request.isJsonArray ? 'text/event-stream' : 'application/json'
}

/** As many as a header may hold; requests.explain has them all. */
function lostText(lost: readonly string[]): string {
  let text = ''
  for (const field of lost) {
    const safe = field.replaceAll(/[^\w.[\]-]/g, '_')
    if (text.length + safe.length > lostLengthMax) return `${text},...`
    text += text === '' ? safe : `,${safe}`
  }
  return text
}

const lostLengthMax = 1024

/** What was held back until the settle, and the end. */
export function writeEnd(call: Call, rest: ByteText): void {
  if (!call.response.headersSent) {
    const isStream = call.request?.isStream ?? false
    writeHead(call, isStream ? null : rest.length)
  }
  call.response.end(rest, 'latin1')
  cutWhenUnread(call)
}

/**
 * Nothing of an answer's end is kept for a client that takes none of it for so long; a connection on which
 * little is read is not cut, since Node looks at how much is left to be written.
 */
function cutWhenUnread({ response, ports }: Call): void {
  if (response.writableLength > 0) response.setTimeout(ports.limits.stallMs, () => response.destroy())
}

/** The status that a failure reaches the client with. */
export function statusOf(call: Call, failure: Failure): number {
  return call.response.headersSent || isToldInStream(call, failure) ? 200 : failure.status
}

/**
 * A failure where the client can see it: as the status and body of the wire while nothing was sent,
 * else as the wire's error frame, since the status was already 200.
 */
export function writeFailure(call: Call, failure: Failure): void {
  const { response } = call
  if (response.destroyed || response.writableEnded) return
  const requestId = idOf('req', call.id)
  if (response.headersSent || isToldInStream(call, failure)) {
    writeHead(call, null)
    response.end(call.stream?.errorTail(wireErrorOf(failure, true), requestId) ?? '', 'latin1')
    cutWhenUnread(call)
    return
  }
  noteFirstByte(call)
  sendFailure(response, failure, requestId, call.route.wire)
}

/**
 * OpenAI itself says of a streamed response that it does not fit the context by failing the response, under
 * status 200; Codex makes room and goes on at that, and at no status (codex-rs, sse/responses.rs).
 */
function isToldInStream({ route, stream }: Call, failure: Failure): boolean {
  return (
    route.wire === 'responses' &&
    stream !== null &&
    failure instanceof ProviderFailure &&
    failure.said.code === contextFull
  )
}

function headersOf(
  failure: Failure,
  body: ByteText,
  requestId: string,
  response: ServerResponse,
  wire: WireName,
): Record<string, string | number> {
  const headers: Record<string, string | number> = {
    'content-type': 'application/json',
    'content-length': body.length,
    ...privateHeaders,
    'x-request-id': requestId,
    // Official clients retry by status; a 402 or a 409 of ours never clears by repeating it.
    'x-should-retry': String(failure.isRetryable),
  }
  if (wire === 'messages') headers['request-id'] = requestId
  if (failure.isRetryable) headers['retry-after'] = Number(failure.details.retryAfterSeconds ?? 1)
  if (failure.code === 'method_not_allowed') headers.allow = String(failure.details.allowed)
  // What is left of a request that was refused before it was read must not be taken for the next one.
  if (!response.req.complete) headers.connection = 'close'
  return headers
}

function noteFirstByte(call: Call): void {
  call.firstByteMs ??= Math.round(call.ports.clock.monotonicMs() - call.startedMonotonicMs)
}

/** A refusal before there is a call: nothing was authenticated, nothing is recorded. */
export function answerFailure(
  response: ServerResponse,
  failure: Failure,
  ports: GatewayPorts,
  wire: WireName,
): void {
  sendFailure(response, failure, idOf('req', ports.newId()), wire)
}

function sendFailure(response: ServerResponse, failure: Failure, requestId: string, wire: WireName): void {
  const body = wires[wire].errorBody(wireErrorOf(failure, false), requestId)
  response.writeHead(failure.status, headersOf(failure, body, requestId, response, wire))
  if (response.req.complete || response.req.headers.expect !== undefined) response.end(body, 'latin1')
  else endWhenSent(response, body)
}

/**
 * A client that is still sending has the whole answer at once, and a moment to stop: a connection that is
 * closed while bytes come is reset, and what was answered is lost with it (RFC 9112 9.6). What comes
 * meanwhile is read and thrown away.
 */
function endWhenSent(response: ServerResponse, body: ByteText): void {
  const { req: request } = response
  response.write(body, 'latin1')
  const end = (): void => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, lingerMs)
  request.once('end', end).once('close', end).resume()
}

const lingerMs = 1_000

/** @param isStarted something of the answer was sent: then what the provider has said is its end, whatever it is */
function wireErrorOf(failure: Failure, isStarted: boolean): WireError {
  const { code, details, message, param, status } = failure
  // What broke behind us tells a stranger how it is built there, and whoever called cannot mend it.
  if (failure instanceof ProviderFailure && (isStarted || status < 500)) return failure.wireError
  return { status, code, message, param, details }
}
