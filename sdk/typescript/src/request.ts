/** One flat object of inputs as an HTTP request. */
import { TollgateError } from './errors.ts'
import type { Repeats } from './retry.ts'
import { lowered, type ConditionalOptions, type Settings, type StreamOptions } from './settings.ts'

/** How an operation is called: made from the table of operations. */
export interface Route {
  /** `noun.verb`. */
  readonly id: string
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  /** With `{name}` for each input of the path. */
  readonly path: string
  /** Names of the inputs of the query; all others are of the body. */
  readonly query?: readonly string[]
  /** What the body is; left out: there is none. */
  readonly body?: 'json' | 'file'
  /** True: the server knows a repeat by its Idempotency-Key. */
  readonly isKeyed?: boolean
  /** What is asked for in place of JSON. */
  readonly accept?: string
  /** Kind of the events that are documents; left out: all are. */
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

/** @throws TollgateError when an input of the path is missing */
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
  // `fetch` would call it a failed connection. What it holds may be a secret.
  const odd = Object.keys(headers).find((name) => !/^[\x20-\x7e]+$/.test(headers[name] ?? ''))
  if (odd !== undefined) throw new TollgateError(`${route.id}: ${odd} is empty, or no printable ASCII.`)
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

/** An empty part, `.` or `..` would lead to another path than the one that is meant. */
function pathPart({ id }: Route, name: string, value: unknown): string {
  const text = value === undefined || value === null ? '' : textOf(value)
  if (text === '' || text === '.' || text === '..') {
    throw new TollgateError(
      `${id}: ${name} is ${JSON.stringify(value) ?? 'left out'}, which no path can hold.`,
    )
  }
  return encodeURIComponent(text)
}

function contentOf(route: Route, left: ReadonlyMap<string, unknown>): { type: string; body: Content } | null {
  if (route.body === 'file') {
    const file = left.get('file')
    const type = left.get('type') ?? (file instanceof Blob ? file.type : '')
    if (!isFile(file) || typeof type !== 'string' || type === '') {
      throw new TollgateError(`${route.id}: file is a Blob with a type, or bytes beside a type.`)
    }
    return { type, body: file }
  }
  if (route.body === 'json') return { type: 'application/json', body: jsonOf(Object.fromEntries(left)) }
  const [unknown] = left.keys()
  if (unknown === undefined) return null
  throw new TollgateError(`${route.id} has no input ${unknown}.`)
}

/** By its tag: test runners and frames have such classes of their own. */
function isFile(value: unknown): value is FileContent {
  return /^\[object (?:Blob|File|ArrayBuffer|Uint8Array)\]$/.test(Object.prototype.toString.call(value))
}

/** Amounts may be bigints, and times Dates. */
function jsonOf(value: object): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one))
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value)
}

/** `crypto.randomUUID` is missing on pages that came without TLS. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
