import type { IncomingHttpHeaders } from 'node:http'
import { headLimits } from '#http/connection-timeouts-and-head-limits.ts'

/** The head of a request that the edge (this server's own HTTP parser) may serve. */
export interface RequestHead {
  readonly method: string
  readonly url: string
  /** No field occurs twice. */
  readonly headers: IncomingHttpHeaders
  /** Length of the head in bytes, including the empty line at the end. */
  readonly bytes: number
  readonly contentLength: number
  readonly isKeptAlive: boolean
}

/**
 * Reads the head of a request if it has the plain form that nearly all clients send. Returns null for every other
 * request, which Node's parser must read. A request that this function does not read may still be valid.
 *
 * Node's parser accepts every request in the plain form, and reads it with the same result (request-head.test.ts
 * compares both parsers). The form excludes everything that parsers read in different ways, and everything that the
 * edge does not implement:
 *
 * - a head that has not arrived completely, or that exceeds the limits
 * - methods other than GET, POST and DELETE, versions other than HTTP/1.1, and a target that is not a path
 * - a repeated field name, a folded line, a line end without CR, a space before a colon, a control character
 * - `Transfer-Encoding`, `Expect`, `Upgrade`, and other connection options than `close` and `keep-alive`
 *
 * @param bytes the first unread bytes of the connection
 */
export function readRequestHead(bytes: Buffer): RequestHead | null {
  const method = methodOf(bytes)
  if (method === null) return null
  const end = bytes.indexOf(headEnd)
  if (end < 0 || end + headEnd.length > headLimits.bytesMax) return null
  // Each line of the head ends with CR LF. The first line end is the end of the request line.
  const text = bytes.toString('latin1', 0, end + 2)
  const urlStart = method.length + 1
  let at = urlStart
  if (bytes[at] !== slash) return null
  while (isVisible(bytes[at])) at++
  const url = text.slice(urlStart, at)
  if (!text.startsWith(versionLine, at)) return null
  const headers = readFields(bytes, text, at + versionLine.length)
  if (headers === null || headers.host === undefined || notServed.some((name) => name in headers)) return null
  const { 'content-length': length = '0' } = headers
  const connection = headers.connection?.toLowerCase() ?? 'keep-alive'
  if (connection !== 'keep-alive' && connection !== 'close') return null
  if (!plainLength.test(length)) return null
  return {
    method,
    url,
    headers,
    bytes: end + headEnd.length,
    contentLength: Number(length),
    isKeptAlive: connection === 'keep-alive',
  }
}

const headEnd = Buffer.from('\r\n\r\n')
const versionLine = ' HTTP/1.1\r\n'
/** Matches whole numbers with at most 15 digits, which JavaScript numbers represent exactly. */
const plainLength = /^(?:0|[1-9]\d{0,14})$/
/**
 * Fields that Node's server treats in a special way. For example, `proxy-connection` has the same effect as
 * `connection`, and the value of `set-cookie` is a list.
 */
const notServed = ['transfer-encoding', 'expect', 'upgrade', 'proxy-connection', 'set-cookie'] as const

const methods = ['POST', 'GET', 'DELETE'].map((name) => ({ name, bytes: Buffer.from(`${name} `) }))

function methodOf(bytes: Buffer): string | null {
  for (const { bytes: start, name } of methods) {
    if (bytes.length > start.length && start.every((byte, at) => bytes[at] === byte)) return name
  }
  return null
}

const slash = 0x2f
const colon = 0x3a
const cr = 0x0d
const lf = 0x0a
const space = 0x20
const tab = 0x09

function isVisible(byte: number | undefined): boolean {
  return byte !== undefined && byte > space && byte < 0x7f
}

/**
 * For each byte that may be in a field name (RFC 9110 5.6.2): 1, or 2 for an uppercase letter. 0 for every other byte.
 */
const nameBytes = new Uint8Array(256)
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz") {
  nameBytes[character.charCodeAt(0)] = 1
}
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') nameBytes[character.charCodeAt(0)] = 2

/**
 * The bytes that may be in a field value (RFC 9110 5.5): visible characters, spaces, tabs, and bytes outside of ASCII.
 */
const valueBytes = new Uint8Array(256)
for (let byte = 0; byte < 256; byte++) {
  if (byte === tab || (byte >= space && byte !== 0x7f)) valueBytes[byte] = 1
}

/** @param text the head as a string, up to the end of the last field */
function readFields(bytes: Buffer, text: string, from: number): IncomingHttpHeaders | null {
  const headers: IncomingHttpHeaders = {}
  const end = text.length
  let count = 0
  for (let at = from; at < end;) {
    const nameStart = at
    let hasUppercase = false
    for (;;) {
      const kind = nameBytes[bytes[at] ?? 0]
      if (kind === 0) break
      if (kind === 2) hasUppercase = true
      at++
    }
    if (at === nameStart || bytes[at] !== colon) return null
    const raw = text.slice(nameStart, at)
    at++
    while (bytes[at] === space || bytes[at] === tab) at++
    const valueStart = at
    while (valueBytes[bytes[at] ?? 0] === 1) at++
    if (bytes[at] !== cr || bytes[at + 1] !== lf) return null
    let valueEnd = at
    while (valueEnd > valueStart && (bytes[valueEnd - 1] === space || bytes[valueEnd - 1] === tab)) valueEnd--
    at += 2
    const name = hasUppercase ? raw.toLowerCase() : raw
    // The name of a property that every object inherits, such as `constructor`, also counts as repeated.
    if (headers[name] !== undefined || ++count > headLimits.fieldsMax) return null
    headers[name] = text.slice(valueStart, valueEnd)
  }
  return headers
}
