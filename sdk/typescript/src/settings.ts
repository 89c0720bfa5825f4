/** How a client is set up: what its caller says, else the environment, else the defaults. */
import { TollgateError } from './errors.ts'
import { version } from './version.ts'

export type Mode = 'live' | 'test'

export interface ClientOptions {
  /** An `sk_` token; `TOLLGATE_TOKEN` when left out. Null: none, for what needs none. Never in a browser. */
  readonly token?: string | null | undefined
  /** Address of the control plane; `TOLLGATE_BASE_URL` when left out, else `http://localhost:8080`. */
  readonly baseUrl?: string | undefined
  /** Slug of the application that is meant; `TOLLGATE_APP` when left out. A call may name another. */
  readonly app?: string | undefined
  /** Live or test data; `TOLLGATE_MODE` when left out, else live. A call may name the other. */
  readonly mode?: Mode | undefined
  /** How often a call is repeated that may succeed then; 2 when left out. */
  readonly maxRetries?: number | undefined
  /** The longest that one try may take, its whole answer included, in milliseconds; 60,000 when left out. */
  readonly timeoutMs?: number | undefined
  /** The longest that a call may take with all its tries and waits, in milliseconds; without a limit when left out. */
  readonly totalTimeoutMs?: number | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** In place of the platform's. */
  readonly fetch?: typeof fetch | undefined
  /** Time and chance, for tests. */
  readonly clock?: Clock | undefined
}

export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Waits, or rejects as soon as the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** From 0 to below 1. */
  readonly random: () => number
}

/** Of one call; what is left out is as the client is. */
export interface CallOptions {
  readonly app?: string | undefined
  readonly mode?: Mode | undefined
  /**
   * Names the change, so that it happens once however often it is asked for within a day. Made for you when left
   * out, and kept over all tries of the call: pass one to make a repeat of your own safe too.
   */
  readonly idempotencyKey?: string | undefined
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined
  readonly maxRetries?: number | undefined
  readonly timeoutMs?: number | undefined
  readonly totalTimeoutMs?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Of a call on configuration that has an ETag. */
export interface ConditionalOptions extends CallOptions {
  /** The ETag that it must still have (`withResponse` shows it); else PreconditionError, and nothing is changed. */
  readonly ifMatch?: string | undefined
  /** `*`: it must not exist yet. */
  readonly ifNoneMatch?: string | undefined
}

/** Of a call that answers events. */
export interface StreamOptions extends CallOptions {
  /** Goes on behind the event of that id, as the last one that was read had it. */
  readonly lastEventId?: string | undefined
}

export interface Settings {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly app: string | undefined
  readonly maxRetries: number
  readonly timeoutMs: number
  readonly totalTimeoutMs: number
  readonly fetch: typeof fetch
  readonly clock: Clock
}

/** @throws TollgateError when an option cannot be what it is */
export function settingsOf(options: ClientOptions): Settings {
  const token = options.token === undefined ? environment('TOLLGATE_TOKEN') : options.token
  const app = options.app ?? environment('TOLLGATE_APP')
  const mode = options.mode ?? environment('TOLLGATE_MODE')
  if (token) checkToken(token)
  if (mode !== undefined && mode !== 'live' && mode !== 'test') {
    throw new TollgateError(`The mode is ${JSON.stringify(mode)}; it is 'live' or 'test'.`)
  }
  return {
    baseUrl: baseUrlOf(options.baseUrl ?? environment('TOLLGATE_BASE_URL') ?? 'http://localhost:8080'),
    headers: {
      accept: 'application/json',
      ...(!isBrowser() && { 'user-agent': userAgent() }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...(app !== undefined && { 'x-svc-app': app }),
      ...(mode !== undefined && { 'x-svc-mode': mode }),
      ...lowered(options.headers),
    },
    app,
    maxRetries: nonNegative('maxRetries', options.maxRetries ?? 2),
    timeoutMs: nonNegative('timeoutMs', options.timeoutMs ?? 60_000),
    totalTimeoutMs: nonNegative('totalTimeoutMs', options.totalTimeoutMs ?? Infinity),
    // Called as a plain function: browsers refuse a `fetch` whose `this` is another object.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    clock: options.clock ?? { now: Date.now, random: Math.random, sleep },
  }
}

/** @throws TollgateError when it is no number from 0 */
export function nonNegative(name: string, value: number): number {
  if (value >= 0) return value
  throw new TollgateError(`${name} is ${value}; it is a number from 0.`)
}

/** Two spellings of one name would both be sent. */
export function lowered(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Its text is in no error: whoever sees the message must not learn a secret. */
function checkToken(token: string): void {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TollgateError('The token has characters that no token has; check that it was copied whole.')
  }
  if (token.startsWith('ak_')) {
    throw new TollgateError(
      'The token is an ak_ key, with which an end user calls the gateway; the control plane takes sk_ tokens.',
    )
  }
  if (token.startsWith('sk_') && isBrowser()) {
    throw new TollgateError(
      'An sk_ token can mint keys and must never be in a browser; call your own server, or the portal from tollgate-sdk/portal.',
    )
  }
}

function baseUrlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TollgateError(
      'baseUrl is no http or https address, or has a name, a query or a fragment in it; https://tollgate.example.com is one.',
    )
  }
  return url.href.replace(/\/+$/, '')
}

function isBrowser(): boolean {
  return 'document' in globalThis
}

interface Runtime {
  readonly process?: {
    readonly env?: Readonly<Record<string, string | undefined>>
    readonly versions?: Readonly<Record<string, string | undefined>>
  }
  readonly navigator?: { readonly userAgent?: string }
  readonly location?: { readonly origin: string }
}

/** Of the page that this runs on; undefined: it runs on none. */
export function pageOrigin(): string | undefined {
  const { location }: Runtime = globalThis
  return isBrowser() ? location?.origin : undefined
}

function environment(name: string): string | undefined {
  const { process }: Runtime = globalThis
  try {
    return process?.env?.[name] || undefined
  } catch {
    // Deno, where the environment may not be read.
    return undefined
  }
}

function userAgent(): string {
  const { navigator, process }: Runtime = globalThis
  const { bun, deno, node } = process?.versions ?? {}
  const runtime = deno
    ? `deno/${deno}`
    : bun
      ? `bun/${bun}`
      : node
        ? `node/${node}`
        : (navigator?.userAgent ?? 'unknown')
  return `tollgate-sdk/${version} typescript ${runtime}`
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
  })
}
