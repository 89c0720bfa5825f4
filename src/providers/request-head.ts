import type { ByteText } from '#wire/text/byte-text.ts'

/** `headers` does not contain the headers that determine the framing. */
export interface ClientRequest {
  readonly method: string
  readonly path: string
  readonly headers?: readonly string[]
  readonly body?: ByteText | null
}

/** @throws if a part of the head is not allowed, because it could end the head early */
export function requestHead({ body, headers = [], method, path }: ClientRequest, host: string): string {
  if (!token.test(method)) throw new InvalidRequest('the method is not an HTTP token')
  if (!pathPattern.test(path)) throw new InvalidRequest('the path contains characters that are not allowed')
  // The server may wrongly send a body in the response to HEAD, which would be read as the next response.
  const connection = method === 'HEAD' ? 'close' : 'keep-alive'
  const start = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${connection}\r\n`
  const head = start + linesOf(headers)
  const length = body?.length ?? 0
  return length > 0 || withBody.has(method) ? `${head}content-length: ${length}\r\n\r\n` : `${head}\r\n`
}

/** Most requests to an account have the same frozen list of headers, whose lines are checked and joined only once. */
const linesOfFrozen = new WeakMap<readonly string[], string>()

function linesOf(headers: readonly string[]): string {
  const known = linesOfFrozen.get(headers)
  if (known !== undefined) return known
  let lines = ''
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    const value = headers[at + 1] ?? ''
    if (!token.test(name) || framing.has(name.toLowerCase()))
      throw new InvalidRequest('the name of a header is not allowed')
    if (!valuePattern.test(value)) throw new InvalidRequest(`the value of the header ${name} is not allowed`)
    lines += `${name}: ${value}\r\n`
  }
  if (Object.isFrozen(headers)) linesOfFrozen.set(headers, lines)
  return lines
}

/** No byte of such a request was sent. */
class InvalidRequest extends Error {
  readonly code = 'UND_ERR_INVALID_ARG'
}

const token = /^[\w!#$%&'*+.^`|~-]+$/
const pathPattern = /^\/[\x21-\xff]*$/
const valuePattern = /^[\t\x20-\x7e\x80-\xff]*$/
/** Methods whose requests state the length of their body even if the body is empty. */
const withBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])
/** Headers that determine where a request ends, and how its connection is used. */
const framing: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'expect',
  'keep-alive',
  'trailer',
  'te',
  'upgrade',
])
