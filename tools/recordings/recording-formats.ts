/**
 * The formats of these recorders are known:
 *
 * - VCR in Python, Ruby and R, and go-vcr (YAML)
 * - replays of Google's clients, cassettes of Braintrust and Datadog, and Nock's recordings (JSON)
 * - HTTP archives, as Polly writes them (HAR)
 * - httprr, whose files contain the bytes of requests and responses
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse, YAMLError } from 'yaml'

/** All values are as the recorder wrote them, except texts, which are decoded. */
export interface Interaction {
  readonly method: unknown
  readonly url: unknown
  /** The text of the request's body, or its value if the recorder parsed it. */
  readonly body: unknown
  readonly status: unknown
  /** Null if the body is not text. */
  readonly answer: string | null
  /** From a header of Bedrock's response. Null if no header reports the input tokens. */
  readonly headTokens: number | null
}

/** Empty if the file contains no recording in a known format. */
export function interactionsIn(path: string): readonly Interaction[] {
  const text = (): string => readFileSync(path, 'utf8')
  if (/\.ya?ml$/.test(path)) return entriesOf(yamlOf(text())).map((entry) => interactionOf(entry, path))
  if (/\.(?:json|har)$/.test(path))
    return entriesOf(jsonOf(text())).map((entry) => interactionOf(entry, path))
  return path.endsWith('.httprr') ? fromTrace(readFileSync(path)) : []
}

/** Each recorder puts the list at a different place. */
function entriesOf(file: unknown): readonly unknown[] {
  if (Array.isArray(file)) return file.map(fromNock)
  if (at(file, 'request') !== undefined) return [file]
  return [file, at(file, 'log')].flatMap((place) =>
    ['interactions', 'http_interactions', 'entries'].flatMap((name) => listAt(place, name)),
  )
}

function fromNock(record: unknown): unknown {
  const url = `${String(at(record, 'scope'))}${String(at(record, 'path'))}`
  return {
    request: { method: at(record, 'method'), url, body: at(record, 'body') },
    response: { status: at(record, 'status'), body: at(record, 'response') },
  }
}

function interactionOf(entry: unknown, path: string): Interaction {
  const request = at(entry, 'request')
  const response = at(entry, 'response')
  const status = at(response, 'status')
  const headers = at(response, 'headers')
  if (at(request, 'bodySegments') !== undefined) return fromReplay(request, response)
  return {
    method: at(request, 'method'),
    url: at(request, 'uri') ?? at(request, 'url'),
    body: at(request, 'parsed_body') ?? contentOf(at(request, 'body') ?? at(request, 'postData'), path),
    status: at(status, 'code') ?? at(response, 'code') ?? at(response, 'statusCode') ?? status,
    answer: textOf(
      at(response, 'parsed_body') ?? contentOf(at(response, 'body') ?? at(response, 'content'), path),
    ),
    headTokens: Number(listAt(headers, 'x-amzn-bedrock-input-token-count')[0]) || null,
  }
}

function fromReplay(request: unknown, response: unknown): Interaction {
  const segments = listAt(response, 'bodySegments').map((segment) => JSON.stringify(segment))
  const path = String(at(request, 'url')).replace(/^(?:https?:\/\/[^/]+)?\/?/, '')
  return {
    method: at(request, 'method') ?? 'POST',
    url: `https://generativelanguage.googleapis.com/${path}`,
    body: listAt(request, 'bodySegments')[0],
    status: at(response, 'statusCode'),
    answer:
      segments.length === 1 ? (segments[0] ?? null) : segments.map((one) => `data: ${one}\r\n\r\n`).join(''),
    headTokens: null,
  }
}

/** Returns the text of a recorded body, or its value if the recorder parsed it. */
function contentOf(body: unknown, path: string): unknown {
  if (body instanceof Uint8Array) return decoded(body)
  // Braintrust writes large bodies to files of their own, and the chunks of a stream to a list.
  if (at(body, 'kind') === 'binary')
    return decoded(readFileSync(join(dirname(path), String(at(body, 'path')))))
  if (at(body, 'kind') === 'sse')
    return listAt(body, 'chunks')
      .map((chunk) => `${String(chunk)}\n\n`)
      .join('')
  const inner = at(body, 'string') ?? at(body, 'text') ?? at(body, 'value')
  return inner instanceof Uint8Array ? decoded(inner) : (inner ?? body)
}

function decoded(bytes: Uint8Array): string {
  const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b
  return new TextDecoder().decode(isZipped ? gunzipSync(bytes) : bytes)
}

function textOf(content: unknown): string | null {
  return typeof content === 'string' ? content : content === undefined ? null : JSON.stringify(content)
}

/**
 * The first line of a trace names its format. For each call, a line with the lengths of the request and the response
 * follows, and then their bytes.
 */
function fromTrace(trace: Buffer): readonly Interaction[] {
  const interactions: Interaction[] = []
  let start = trace.indexOf('\n') + 1
  while (start < trace.length) {
    const end = trace.indexOf('\n', start)
    const [requestBytes = NaN, responseBytes = NaN] = trace
      .toString('utf8', start, end)
      .split(' ')
      .map(Number)
    const responseStart = end + 1 + requestBytes
    const [head = '', body = ''] = halves(trace.toString('utf8', end + 1, responseStart))
    start = responseStart + responseBytes
    const [responseHead = '', answer = null] = halves(trace.toString('utf8', responseStart, start))
    const [method, url] = head.split(' ')
    // In a file that is not a trace, the lengths are not numbers.
    if (Number.isNaN(start)) return []
    interactions.push({ method, url, body, status: responseHead.split(' ')[1], answer, headTokens: null })
  }
  return interactions
}

function halves(message: string): readonly string[] {
  const [head = '', ...body] = message.split('\r\n\r\n')
  return [head, body.join('\r\n\r\n')]
}

/** Null if the text is not YAML, because some recordings were edited by hand. A key may occur twice. */
function yamlOf(text: string): unknown {
  try {
    return parse(text, { uniqueKeys: false, logLevel: 'error', customTags: ['binary'] })
  } catch (error) {
    if (error instanceof YAMLError) return null
    throw error
  }
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function at(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (Reflect.get(value, name) ?? undefined) : undefined
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = at(value, name)
  return Array.isArray(list) ? list : []
}
