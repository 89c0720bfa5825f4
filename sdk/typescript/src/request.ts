/** Converts a flat object of inputs to an HTTP request. */
import { TollgateError } from './errors.ts'
import type { Repeats } from './retry.ts'
import { lowered, type ConditionalOptions, type Settings, type StreamOptions } from './settings.ts'

/** The HTTP request of an operation, generated from the table of operations. */
export interface Route {
  /** `noun.verb`. */
  readonly id: string
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  /** Path with a placeholder `{name}` for each input in the path. */
  readonly path: string
  /**
   * Names of the inputs that are sent in the query. All inputs that are neither in the path nor in the query are sent
   * in the body.
   */
  readonly query?: readonly string[]
  /** Kind of the body. Omitted if the operation has no body. */
  readonly body?: 'json' | 'file'
  /** Whether the server recognizes retries by their Idempotency-Key. */
  readonly isKeyed?: boolean
  /** Media type that is requested instead of JSON. */
  readonly accept?: string
  /** Kind of the events that contain documents of the operation. Omitted if every event contains a document. */
  readonly event?: string
}

export type Input = Readonly<Record<string, unknown>>

type Content = string | FileContent

type FileContent = Blob | ArrayBuffer | Uint8Array<ArrayBuffer>

export interface Prepared {
  readonly id: string
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Content | null
  readonly repeats: Repeats
}

/** @throws TollgateError if an input in the path is missing */
export function prepare(
  route: Route,
  input: Input,
  options: ConditionalOptions & StreamOptions,
  settings: Settings,
): Prepared {
  const left = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const take = (name: string): unknown => {
    const value = left.get(name)
    left.delete(name)
    return value
  }
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => pathPart(route, name, take(name)))
  const query = new URLSearchParams()
  for (const name of route.query ?? []) {
    const value = take(name)
    if (value !== undefined && value !== null) query.set(name, textOf(value))
  }
  const search = query.toString()
  const content = contentOf(route, left)
  const headers: Record<string, string> = {
    ...settings.headers,
    ...(route.accept !== undefined && { accept: route.accept }),
    ...(options.app !== undefined && { 'x-svc-app': options.app }),
    ...(options.mode !== undefined && { 'x-svc-mode': options.mode }),
    ...(route.isKeyed && { 'idempotency-key': options.idempotencyKey ?? newIdempotencyKey() }),
    ...(options.ifMatch !== undefined && { 'if-match': options.ifMatch }),
    ...(options.ifNoneMatch !== undefined && { 'if-none-match': options.ifNoneMatch }),
    ...(options.lastEventId !== undefined && { 'last-event-id': options.lastEventId }),
    ...(content && { 'content-type': content.type }),
    ...lowered(options.headers),
  }
  // Check the header here, because `fetch` would report an invalid header as a failed connection. The error message
  // omits the value, because the value may be a secret.
  const odd = Object.keys(headers).find((name) => !/^[\x20-\x7e]+$/.test(headers[name] ?? ''))
  if (odd !== undefined) throw new TollgateError(`${route.id}: ${odd} must be non-empty printable ASCII.`)
  const isSafe = route.method === 'GET' || route.method === 'DELETE' || route.isKeyed === true
  return {
    id: route.id,
    url: `${settings.baseUrl}${path}${search && `?${search}`}`,
    method: route.method,
    headers,
    body: content?.body ?? null,
    repeats: isSafe ? 'safe' : 'once',
  }
}

/** Rejects empty path segments, `.` and `..`, because they would change the path. */
function pathPart({ id }: Route, name: string, value: unknown): string {
  const text = value === undefined || value === null ? '' : textOf(value)
  if (text === '' || text === '.' || text === '..') {
    throw new TollgateError(
      `${id}: ${name} is ${JSON.stringify(value) ?? 'missing'}, which is not valid in a path.`,
    )
  }
  return encodeURIComponent(text)
}

function contentOf(route: Route, left: ReadonlyMap<string, unknown>): { type: string; body: Content } | null {
  if (route.body === 'file') {
    const file = left.get('file')
    const type = left.get('type') ?? (file instanceof Blob ? file.type : '')
    if (!isFile(file) || typeof type !== 'string' || type === '') {
      throw new TollgateError(
        `${route.id}: file must be a Blob with a type, or bytes together with the input type.`,
      )
    }
    return { type, body: file }
  }
  if (route.body === 'json') return { type: 'application/json', body: jsonOf(Object.fromEntries(left)) }
  const [unknown] = left.keys()
  if (unknown === undefined) return null
  throw new TollgateError(`${route.id} has no input ${unknown}.`)
}

/**
 * Checks the string tag instead of the class, because test runners and frames have their own classes with the same
 * name.
 */
function isFile(value: unknown): value is FileContent {
  return /^\[object (?:Blob|File|ArrayBuffer|Uint8Array)\]$/.test(Object.prototype.toString.call(value))
}

/** Converts a request body to JSON. Amounts may be bigints, and times may be Dates. */
function jsonOf(value: object): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one))
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value)
}

/** Creates a random key without `crypto.randomUUID`, which does not exist on pages without TLS. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
