import { Failure } from '#domain/errors.ts'
import type { BodyIntake, BodyOwner } from '#gateway/overload/limit-memory-of-bodies.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import {
  after,
  inside,
  kindOf,
  kinds,
  stringAt,
  valueAt,
  valueOf,
  type Json,
  type Node,
} from '#wire/text/json-tape.ts'

/** Enough for a grant to ten thousand end users. */
export const bodyBytesMax = 1_048_576
/** For a body without a credential, such as a password, a code or a link. */
export const publicBodyBytesMax = 4_096

export interface BodyTerms {
  readonly bytesMax: number
  readonly intake: BodyIntake
  readonly owner: BodyOwner
}

// A grant has the most values, with its list of end users.
const limits = { depthMax: 64, valuesMax: 50_000 }
const json = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i

/**
 * Returns `{}` for a missing body, so that an operation with only optional fields can be called without one.
 * @throws Failure request_too_large, request_too_slow, overloaded, too_many_bodies, unsupported_media_type or
 * invalid_json
 */
export async function readJsonBody(request: Request, terms: BodyTerms): Promise<unknown> {
  const bytes = await readBytes(request, terms)
  if (bytes.length === 0) return {}
  const encoding = request.headers.get('content-encoding')
  if (encoding !== null && encoding.toLowerCase() !== 'identity') throw new Failure('unsupported_media_type')
  if (!json.test(request.headers.get('content-type') ?? '')) throw new Failure('unsupported_media_type')
  return parseBody(bytes)
}

function parseBody(bytes: Uint8Array): unknown {
  try {
    // The grammar rejects a byte order mark, as RFC 8259 8.1 allows.
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Failure('invalid_json', { reason: 'it is not UTF-8' })
  }
  // `parseJson` reads a string with one character for each byte.
  const parsed = parseJson(Buffer.from(bytes).toString('latin1'), limits)
  if (!('tape' in parsed)) throw new Failure('invalid_json', { reason: parsed.reason })
  const repeated = repeatedKey(parsed)
  // JSON.parse would use the last value of a repeated key, while another parser may use the first
  // (docs/reference/threats.md "Repeated members of JSON objects").
  if (repeated !== null) throw new Failure('invalid_json', { reason: `the key ${repeated} is repeated` })
  return valueAt(parsed, 0)
}

function repeatedKey(body: Json): string | null {
  // `limits` restricts the depth of the JSON, and thereby the depth of this recursion.
  function search(node: Node): string | null {
    const kind = kindOf(body, node)
    const end = after(body, node)
    if (kind === kinds.array) {
      for (let item = inside(node); item < end; item = after(body, item)) {
        const found = search(item)
        if (found !== null) return found
      }
    }
    if (kind === kinds.object) {
      const keys = new Set<string>()
      for (let key = inside(node); key < end; key = after(body, valueOf(key))) {
        const name = stringAt(body, key)
        if (keys.has(name)) return JSON.stringify(name.slice(0, 64))
        keys.add(name)
        const found = search(valueOf(key))
        if (found !== null) return found
      }
    }
    return null
  }
  return search(0)
}

/**
 * The bytes count toward the process's memory for bodies, and must arrive at a minimum rate, as at the gateway.
 * @throws Failure request_too_large, request_too_slow, overloaded, too_many_bodies
 */
export async function readBytes(
  request: Request,
  { bytesMax, intake, owner }: BodyTerms,
): Promise<Uint8Array> {
  const tooLarge = new Failure('request_too_large', { limitBytes: bytesMax })
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > bytesMax) throw tooLarge
  if (request.body === null) return new Uint8Array()
  const held = intake.hold(owner, announced)
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader()
  let isSlow = false
  const arriving = intake.watch(announced, () => {
    isSlow = true
    // Closing the request also ends the pending read.
    reader.cancel().catch(() => {})
  })
  const pieces: Uint8Array[] = []
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other
      const { done, value } = await reader.read().catch(() => {
        // The client disconnected or sent an invalid transfer encoding, and may no longer read the response.
        throw new Failure('invalid_json', { reason: 'it ends too early' })
      })
      if (isSlow) throw new Failure('request_too_slow')
      if (done) return Buffer.concat(pieces)
      // Content-Length may be wrong or missing.
      arriving.bytes += value.length
      if (arriving.bytes > bytesMax) throw tooLarge
      held.growTo(arriving.bytes)
      pieces.push(value)
    }
  } catch (error) {
    if (!isSlow) await reader.cancel().catch(() => {})
    throw error
  } finally {
    intake.unwatch(arriving)
    held.giveBack()
  }
}
