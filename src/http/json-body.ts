import { Failure } from '#domain/errors.ts'
import type { BodyIntake, BodyOwner } from '#gateway/arrive/body-intake.ts'
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

/** The largest control-plane body: a grant to ten thousand end users. */
export const bodyBytesMax = 1_048_576
/** The largest body of an operation that needs no credential: a password, a code, a link. */
export const publicBodyBytesMax = 4_096

/** How the body of a request is taken in. */
export interface BodyTerms {
  readonly bytesMax: number
  readonly intake: BodyIntake
  readonly owner: BodyOwner
}

// Bodies have a few fields; the longest is a grant's list of people.
const limits = { depthMax: 64, valuesMax: 50_000 }
const json = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i

/**
 * The JSON value that a request carries. No body at all reads as `{}`, so that an operation whose
 * fields are all optional can be called without one.
 * @throws Failure request_too_large, request_too_slow, overloaded, too_many_bodies, unsupported_media_type or
 *   invalid_json
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
    // The grammar refuses a byte order mark, as RFC 8259 8.1 allows.
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Failure('invalid_json', { reason: 'it is not UTF-8' })
  }
  // Checks the grammar on the bytes: latin-1 makes one character of each.
  const parsed = parseJson(Buffer.from(bytes).toString('latin1'), limits)
  if (!('tape' in parsed)) throw new Failure('invalid_json', { reason: parsed.reason })
  const repeated = repeatedKey(parsed)
  // JSON.parse would silently take the last of the two, another parser the first (docs/reference/threats.md
  // "Members said twice").
  if (repeated !== null) throw new Failure('invalid_json', { reason: `the key ${repeated} is repeated` })
  return valueAt(parsed, 0)
}

/** The first key that an object has twice, quoted; null when there is none. */
function repeatedKey(body: Json): string | null {
  // Depth is bounded by `limits`, so recursion is.
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
 * The bytes of a request. They take part in the process's memory for bodies and must come at its least rate, like
 * those of the gateway.
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
    // The pending read ends with it.
    reader.cancel().catch(() => {})
  })
  const pieces: Uint8Array[] = []
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other
      const { done, value } = await reader.read().catch(() => {
        // The client disconnected, or its framing was wrong; the response may never be read.
        throw new Failure('invalid_json', { reason: 'it ends too early' })
      })
      if (isSlow) throw new Failure('request_too_slow')
      if (done) return Buffer.concat(pieces)
      // Content-Length may be wrong or missing: the bytes that arrive are counted.
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
