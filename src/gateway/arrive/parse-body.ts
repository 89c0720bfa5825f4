import { setImmediate as nextTurn } from 'node:timers/promises'
import { Failure } from '#domain/errors.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { BodyReading } from '#wire/body-values.ts'
import { wires } from '#wire/wires.ts'
import { JsonParser } from '#wire/text/json-tape.ts'
import type { Json } from '#wire/text/json-tape.ts'
import { faultOfJson, isFault, requestLimits, textBytesMax } from '#wire/request.ts'
import type { RequestBody, RequestFault, RequestPath, WireRequest } from '#wire/request.ts'
import { TextCounting } from '#wire/bound/text-counting.ts'
import type { Route } from './routes.ts'

/** Up to here a body is parsed in one go, which takes a millisecond or two. */
export const wholeBytesMax = 256 * 1024
/** A step takes a few milliseconds. */
const stepBytes = 1024 * 1024

/** Values of a body that are read at a time. */
const stepValues = 5_000

/** What only a large body needs to be asked. */
interface LargeReading {
  /** Whether it goes to a provider of another wire. */
  readonly isConverted: (request: WireRequest) => boolean
  /** Letters and digits that its sender cannot have known. */
  readonly mark: string
}

/** Asked for large bodies alone: of the others nothing is made. */
type ReadingOf = () => LargeReading

/** @throws Failure naming the field at fault */
export function readRequest(
  body: ByteText | Json,
  route: Route,
  reading: ReadingOf,
): WireRequest | Promise<WireRequest> {
  return readBody(body, wires[route.wire].parseRequest, route, reading)
}

type Read = (body: RequestBody, path: RequestPath) => WireRequest | RequestFault

/**
 * Without a promise for nearly all. A large body is looked at a part at a time, and others are served between.
 * @throws Failure naming the field at fault
 */
export function readBody(
  body: ByteText | Json,
  read: Read,
  { path }: Pick<Route, 'path'>,
  reading: ReadingOf | null,
): WireRequest | Promise<WireRequest> {
  if (typeof body !== 'string') return readLarge(body, read, path, reading)
  return body.length <= wholeBytesMax ? requestOf(read(body, path)) : readUnparsed(body, read, path, reading)
}

async function readUnparsed(
  body: ByteText,
  read: Read,
  path: RequestPath,
  reading: ReadingOf | null,
): Promise<WireRequest> {
  const parser = new JsonParser(body, requestLimits)
  // oxlint-disable-next-line no-await-in-loop -- others are served between two steps
  while (!parser.step(stepBytes)) await nextTurn()
  const json = parser.result()
  if ('reason' in json) throw failureOfFault(faultOfJson(json))
  return readLarge(json, read, path, reading)
}

async function readLarge(
  json: Json,
  read: Read,
  path: RequestPath,
  reading: ReadingOf | null,
): Promise<WireRequest> {
  const counting = new TextCounting(json)
  do {
    // oxlint-disable-next-line no-await-in-loop -- as above
    await nextTurn()
  } while (!counting.step(stepBytes))
  json.counts = counting.counts
  await nextTurn()
  const found = read(json, path)
  await nextTurn()
  if (isFault(found) && found.instead) {
    const request = await readUnparsed(found.instead.text, read, path, reading)
    return { ...request, lost: found.instead.lost }
  }
  const request = requestOf(found)
  if (reading === null) return request
  const { isConverted, mark } = reading()
  if (!isConverted(request)) return request
  const values = new BodyReading(json, request.media, mark)
  // oxlint-disable-next-line no-await-in-loop -- as above
  while (!values.step(stepValues, stepBytes)) await nextTurn()
  await nextTurn()
  return { ...request, values: values.values }
}

function requestOf(read: WireRequest | RequestFault): WireRequest {
  if (isFault(read)) throw failureOfFault(read)
  return read
}

export function failureOfFault(fault: RequestFault): Failure {
  if (fault.code === 'request_text_too_large') return new Failure(fault.code, { limitBytes: textBytesMax })
  return new Failure(fault.code, { reason: fault.reason }, fault.param === null ? {} : { param: fault.param })
}
