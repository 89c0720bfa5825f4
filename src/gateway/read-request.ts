import { setImmediate as nextTurn } from 'node:timers/promises'
import { Failure } from '#domain/errors.ts'
import type { ByteText } from '#wire/byte-text.ts'
import { formats } from '#wire/formats.ts'
import { JsonParser } from '#wire/json.ts'
import { isFault, requestLimits, textBytesMax } from '#wire/request.ts'
import type { RequestBody, RequestFault, RequestPath, WireRequest } from '#wire/request.ts'
import { TextCounting } from '#wire/text-counting.ts'
import type { Route } from './routes.ts'

/** Up to here a body is parsed in one go, which takes a millisecond or two. */
const wholeBytesMax = 256 * 1024
/** A step takes a few milliseconds. */
const stepBytes = 1024 * 1024

/** @throws Failure naming the field at fault */
export function readRequest(body: ByteText, route: Route): WireRequest | Promise<WireRequest> {
  return readBody(body, formats[route.wire].parseRequest, route)
}

type Read = (body: RequestBody, path: RequestPath) => WireRequest | RequestFault

/**
 * Without a promise for nearly all. A large body is looked at a part at a time, and others are served between.
 * @throws Failure naming the field at fault
 */
export function readBody(
  body: ByteText,
  read: Read,
  { path }: Pick<Route, 'path'>,
): WireRequest | Promise<WireRequest> {
  return body.length <= wholeBytesMax ? requestOf(read(body, path)) : readLarge(body, read, path)
}

async function readLarge(body: ByteText, read: Read, path: RequestPath): Promise<WireRequest> {
  const parser = new JsonParser(body, requestLimits)
  // oxlint-disable-next-line no-await-in-loop -- others are served between two steps
  while (!parser.step(stepBytes)) await nextTurn()
  const json = parser.result()
  if ('text' in json) {
    const counting = new TextCounting(json)
    do {
      // oxlint-disable-next-line no-await-in-loop -- as above
      await nextTurn()
    } while (!counting.step(stepBytes))
    json.counts = counting.counts
    await nextTurn()
  }
  const request = requestOf(read(json, path))
  await nextTurn()
  return request
}

function requestOf(read: WireRequest | RequestFault): WireRequest {
  if (isFault(read)) throw failureOfFault(read)
  return read
}

export function failureOfFault(fault: RequestFault): Failure {
  if (fault.code === 'request_text_too_large') return new Failure(fault.code, { limitBytes: textBytesMax })
  return new Failure(fault.code, { reason: fault.reason }, fault.param === null ? {} : { param: fault.param })
}
