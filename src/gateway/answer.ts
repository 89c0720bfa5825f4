import type { ServerResponse } from 'node:http'
import { idOf } from '#domain/id.ts'
import type { ByteText } from '#wire/byte-text.ts'
import type { Failure } from '#domain/errors.ts'
import { chatErrorBody, chatErrorFrames } from '#wire/chat/errors.ts'
import type { Call } from './open-call.ts'
import type { GatewayPorts } from './ports.ts'

/** The head of an answer, once; and the moment of its first byte. */
export function writeHead(call: Call, contentType: string, contentLength: number | null): void {
  const { response } = call
  if (response.headersSent) return
  noteFirstByte(call)
  const headers: string[] = ['content-type', contentType, 'x-request-id', idOf('req', call.id)]
  if (contentLength === null) headers.push('cache-control', 'no-cache')
  else headers.push('content-length', String(contentLength))
  if (call.reserved?.reservation.isClamped) headers.push('x-svc-abort-reason', 'max_tokens_clamped')
  response.writeHead(200, headers)
}

/** What was held back until the settle, and the end. */
export function writeEnd(call: Call, rest: ByteText): void {
  if (!call.response.headersSent) {
    const isStream = call.request?.isStream ?? false
    writeHead(call, isStream ? 'text/event-stream' : 'application/json', isStream ? null : rest.length)
  }
  call.response.end(rest, 'latin1')
}

/**
 * A failure where the client can see it: as the status and body of the wire while nothing was sent,
 * else as the wire's error frame, since the status was already 200.
 */
export function writeFailure(call: Call, failure: Failure): void {
  const { response } = call
  if (response.destroyed || response.writableEnded) return
  const error = {
    status: failure.status,
    code: failure.code,
    message: failure.message,
    param: failure.param,
    details: failure.details,
  }
  const requestId = idOf('req', call.id)
  if (response.headersSent) {
    response.end(chatErrorFrames(error, requestId), 'latin1')
    return
  }
  noteFirstByte(call)
  const body = chatErrorBody(error, requestId)
  response.writeHead(failure.status, headersOf(failure, body, requestId, response))
  response.end(body, 'latin1')
}

function headersOf(
  failure: Failure,
  body: ByteText,
  requestId: string,
  response: ServerResponse,
): Record<string, string | number> {
  const headers: Record<string, string | number> = {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-request-id': requestId,
    // Official clients retry by status; a 402 or a 409 of ours never clears by repeating it.
    'x-should-retry': String(failure.isRetryable),
  }
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
export function answerFailure(response: ServerResponse, failure: Failure, ports: GatewayPorts): void {
  const requestId = idOf('req', ports.newId())
  const body = chatErrorBody(
    {
      status: failure.status,
      code: failure.code,
      message: failure.message,
      param: failure.param,
      details: failure.details,
    },
    requestId,
  )
  response.writeHead(failure.status, headersOf(failure, body, requestId, response))
  response.end(body, 'latin1')
}
