import { privateHeaders } from '#domain/answer-headers.ts'
import { idOf } from '#domain/id.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { Arrival } from '#gateway/arrive/arrival.ts'
import type { Route } from '#gateway/arrive/routes.ts'
import type { Call } from '#gateway/open-call.ts'

/** The part of an arrival that its answer depends on; a path that is not served has no more. */
export type Asked = Pick<Arrival, 'id' | 'response'> & { readonly route: Pick<Route, 'wire'> }

/** Writes the head of a call's answer, once, and notes the moment of its first byte. */
export function writeHead(call: Call, contentLength: number | null): void {
  const { request, reserved, response } = call
  if (response.headersSent) return
  noteFirstByte(call)
  const isEventStream = request?.isStream === true && !request.isJsonArray
  const headers = headersOf(call, isEventStream ? 'text/event-stream' : 'application/json')
  if (contentLength !== null) headers.push('content-length', String(contentLength))
  if (reserved?.reservation.isClamped === true) headers.push('x-svc-abort-reason', 'max_tokens_clamped')
  const lost = reserved?.dispatch.lost ?? []
  if (lost.length > 0) headers.push('x-svc-conversion-lost', lostText(lost))
  response.writeHead(200, headers)
}

/** Writes a whole answer that was never a call. */
export function writeWhole(arrival: Arrival, body: string | Buffer, more: readonly string[] = []): void {
  const headers = headersOf(arrival, 'application/json')
  headers.push('content-length', String(body.length), ...more)
  arrival.response.writeHead(200, headers).end(body, 'latin1')
}

/** Headers of every answer of this wire: names and values in turn, the cheapest form for Node. */
export function headersOf({ id, route }: Asked, contentType: string): string[] {
  const requestId = idOf('req', id)
  const headers = [
    'content-type',
    contentType,
    'x-request-id',
    requestId,
    'cache-control',
    privateHeaders['cache-control'],
    'x-content-type-options',
    privateHeaders['x-content-type-options'],
  ]
  if (route.wire === 'messages') headers.push('request-id', requestId)
  return headers
}

export function noteFirstByte(call: Call): void {
  call.firstByteMs ??= Math.round(call.ports.clock.monotonicMs() - call.startedMonotonicMs)
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

/** Writes what was held back until the settle, and ends the answer. */
export function writeEnd(call: Call, rest: ByteText): void {
  writeHead(call, call.request?.isStream === true ? null : rest.length)
  call.response.end(rest, 'latin1')
  cutWhenUnread(call)
}

/**
 * Cuts the connection of a client that takes nothing of an answer's end for so long; slow reading is not cut, since
 * Node watches the bytes that are left.
 */
export function cutWhenUnread({ response, ports }: Call): void {
  if (response.writableLength > 0) response.setTimeout(ports.limits.stallMs, () => response.destroy())
}
