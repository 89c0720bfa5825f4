import { Failure } from '#domain/errors.ts'
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

/** The largest control-plane body: a grant to ten thousand people. */
export const bodyBytesMax = 1_048_576

// Bodies have a few fields; the longest is a grant's list of people.
const limits = { depthMax: 64, valuesMax: 50_000 }
const json = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i

/**
 * The JSON value that a request carries. No body at all reads as `{}`, so that an operation whose
 * fields are all optional can be called without one.
 * @throws Failure request_too_large, unsupported_media_type or invalid_json
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  const bytes = await readBytes(request, bodyBytesMax)
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

/** The bytes of a request. @throws Failure request_too_large */
export async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  const tooLarge = new Failure('request_too_large', { limitBytes: bytesMax })
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge
  if (request.body === null) return new Uint8Array()
  // Content-Length may be wrong or missing: the bytes that arrive are counted.
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader()
  const pieces: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      // The client disconnected, or its framing was wrong; the answer may never be read.
      throw new Failure('invalid_json', { reason: 'it ends too early' })
    })
    if (done) return Buffer.concat(pieces)
    length += value.length
    if (length > bytesMax) {
      await reader.cancel()
      throw tooLarge
    }
    pieces.push(value)
  }
}
