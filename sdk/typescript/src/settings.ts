/** Configures a client from its options, then from environment variables, then from the defaults. */
import { TollgateError } from './errors.ts'
import { version } from './version.ts'

export type Mode = 'live' | 'test'

export interface ClientOptions {
  /**
   * An `sk_` token. Defaults to `TOLLGATE_TOKEN`. Null sends no token, for operations that require no token. Never use
   * a token in a browser.
   */
  readonly token?: string | null | undefined
  /** Address of the control plane. Defaults to `TOLLGATE_BASE_URL`, then to `http://localhost:8080`. */
  readonly baseUrl?: string | undefined
  /** Slug of the application. Defaults to `TOLLGATE_APP`. The options of a call override this application. */
  readonly app?: string | undefined
  /** Live or test data. Defaults to `TOLLGATE_MODE`, then to live. The options of a call override this mode. */
  readonly mode?: Mode | undefined
  /** Maximum number of retries per call. A call is retried only if a retry can help. The default is 2. */
  readonly maxRetries?: number | undefined
  /** Maximum duration of one attempt, including its complete response, in milliseconds. The default is 60,000. */
  readonly timeoutMs?: number | undefined
  /**
   * Maximum duration of a call with all its retries and waits, in milliseconds. By default, the duration has no limit.
   */
  readonly totalTimeoutMs?: number | undefined
  /** Headers that are sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A function that is used instead of the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** Source of time and randomness, which tests replace. */
  readonly clock?: Clock | undefined
}

export interface Clock {
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number
  /** Waits for the given time. The promise rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** Returns a random number, at least 0 and below 1. */
  readonly random: () => number
}

/** Options of one call. Omitted options default to the options of the client. */
export interface CallOptions {
  readonly app?: string | undefined
  readonly mode?: Mode | undefined
  /**
   * Identifies the change. For all requests with the same key within a day, the server makes the change only once.
   * Defaults to a new key that all attempts of the call share. Set a key to make your own retries safe as well.
   */
  readonly idempotencyKey?: string | undefined
  /** The call is canceled when this signal is aborted. */
  readonly signal?: AbortSignal | undefined
  readonly maxRetries?: number | undefined
  readonly timeoutMs?: number | undefined
  readonly totalTimeoutMs?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Options of a call that reads or changes a resource with an ETag. */
export interface ConditionalOptions extends CallOptions {
  /**
   * The ETag that the resource must still have, as `withResponse` returns it. If the resource has another ETag, the
   * call throws PreconditionError.
   */
  readonly ifMatch?: string | undefined
  /** The value `*` requires that the resource does not exist yet. */
  readonly ifNoneMatch?: string | undefined
}

/** Options of a call that returns events. */
export interface StreamOptions extends CallOptions {
  /** Resumes after the event with this ID, usually the ID of the last event that was read. */
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

/** @throws TollgateError if an option is not valid */
export function settingsOf(options: ClientOptions): Settings {
  const token = options.token === undefined ? environment('TOLLGATE_TOKEN') : options.token
  const app = options.app ?? environment('TOLLGATE_APP')
  const mode = options.mode ?? environment('TOLLGATE_MODE')
  if (token) checkToken(token)
  if (mode !== undefined && mode !== 'live' && mode !== 'test') {
    throw new TollgateError(`The mode must be 'live' or 'test', but is ${JSON.stringify(mode)}.`)
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
    // Call `fetch` as a plain function, because browsers reject a call whose `this` is another object.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    clock: options.clock ?? { now: Date.now, random: Math.random, sleep },
  }
}

/** @throws TollgateError if the value is not a number, or is negative */
export function nonNegative(name: string, value: number): number {
  if (value >= 0) return value
  throw new TollgateError(`${name} must be a number of at least 0, but is ${value}.`)
}

/** Converts header names to lower case, because a name in two spellings would be sent twice. */
export function lowered(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Errors never contain the token, because other people may see error messages. */
function checkToken(token: string): void {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TollgateError('The token contains invalid characters. Check that it was copied completely.')
  }
  if (token.startsWith('ak_')) {
    throw new TollgateError(
      'The token is an ak_ key, which end users send to the gateway. The control plane requires an sk_ token.',
    )
  }
  if (token.startsWith('sk_') && isBrowser()) {
    throw new TollgateError(
      'An sk_ token can create keys and must never be used in a browser. Call your own server, or use tollgate-sdk/portal.',
    )
  }
}

function baseUrlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TollgateError(
      'baseUrl must be an http or https address without a user name, a query or a fragment, like https://tollgate.example.com.',
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

/** Returns the origin of the current page. Undefined if the code does not run in a page. */
export function pageOrigin(): string | undefined {
  const { location }: Runtime = globalThis
  return isBrowser() ? location?.origin : undefined
}

function environment(name: string): string | undefined {
  const { process }: Runtime = globalThis
  try {
    return process?.env?.[name] || undefined
  } catch {
    // In Deno, the program may not be permitted to read the environment.
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
