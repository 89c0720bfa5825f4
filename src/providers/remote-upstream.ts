import type { buildConnector, Dispatcher } from 'undici'
import type { ProviderAccount } from '#domain/application-config.ts'
import type {
  Cleaner,
  Upstream,
  UpstreamCall,
  UpstreamFailure,
  UpstreamRequest,
  UpstreamSink,
} from '#domain/upstream.ts'
import { kindFacts } from '#domain/provider-kinds.ts'
import { cleanerOf } from './error-cleaner.ts'
import { ContentDecoder } from './content-decoder.ts'
import { Connections, type Exchange } from './connection-pool.ts'
import type { CallClock, DeadlineSweep } from '#domain/deadline-sweep.ts'
import { dialectOf, type Dialect } from './provider-dialects.ts'
import { headersOf } from './response-headers.ts'

export const connectionLimits = { connectionsMax: 4_096, accountsMax: 1_000 } as const

export interface RemoteOptions {
  /** Opens the connections of the accounts of an organization. */
  readonly connectorOf: (organizationId: string) => buildConnector.connector
  readonly sweep: DeadlineSweep
  /** Sent with every request as `CDN-Loop` (request-loop.ts). */
  readonly loopName: string
  /** The account's key in the clear; null when it has none. Called once per account and credential. */
  readonly openCredential: (account: ProviderAccount) => string | null
  /** Wall clock, for a `retry-after` that is a date. */
  readonly nowMs: () => number
  /** Per account. */
  readonly connectionsMax?: number
  /** For how long a connection without a call is kept. */
  readonly keepAliveMs?: number
  /** Accounts that keep connections and an opened credential; beyond it the longest idle one is dropped. */
  readonly accountsMax?: number
}

/** An upstream that can be stopped: `close` resolves when the calls in flight are over. */
export interface ClosableUpstream extends Upstream {
  /** By kind of provider. */
  connections(): readonly ConnectionFigures[]
  close(): Promise<void>
}

/** Connections with a call, without one, and calls without one. */
export interface ConnectionFigures {
  readonly provider: string
  readonly busy: number
  readonly idle: number
  readonly waiting: number
}

/**
 * The adapter for every provider across the network: a POST with the account's key, to the address of its kind
 * (provider-dialects.ts). Body and answer pass unchanged; redirects are answers like any other, because following one would hand
 * the key to the server that it names (docs/reference/threats.md "Redirects").
 *
 * Each account has connections of its own, so that tenants never share one, and a changed base URL or key never meets
 * an old one (docs/reference/threats.md "Connections and accounts"): they are dropped at the first call of the changed
 * account.
 *
 * Nothing here holds a promise or a timer per call, nor a promise per chunk: a call costs 16-20 us of CPU, of which the
 * socket takes half, where `undici.request` on a `Pool` took 22-27 in the same run (32 at once).
 */
export function remote(options: RemoteOptions): ClosableUpstream {
  const { accountsMax, connectionsMax, sweep } = { ...connectionLimits, ...options }
  const endpoints = new Map<string, Endpoint>()
  const closing = new Set<Promise<void>>()
  let isClosed = false
  let calls = 0

  const letGo = (endpoint: Endpoint): void => {
    const closed = endpoint.connections.close()
    closing.add(closed)
    void closed.then(() => closing.delete(closed))
  }

  const endpointOf = (account: ProviderAccount): Endpoint => {
    const known = endpoints.get(account.id)
    if (known?.account === account) return known
    if (known && isSameTarget(known.account, account)) {
      known.account = account
      return known
    }
    const endpoint = endpointFor(account, options, connectionsMax)
    if (known) letGo(known)
    else if (endpoints.size >= accountsMax) {
      const idlest = idlestOf(endpoints)
      endpoints.delete(idlest.account.id)
      letGo(idlest)
    }
    endpoints.set(account.id, endpoint)
    return endpoint
  }

  return {
    send(request, sink) {
      if (isClosed) return failed(sink, new Error('the provider adapter is closed'))
      let endpoint: Endpoint
      let exchange: Dispatcher.DispatchOptions
      try {
        endpoint = endpointOf(request.account)
        exchange = exchangeOf(request, endpoint)
      } catch (error) {
        return failed(sink, error)
      }
      endpoint.lastCall = ++calls
      const call = new Call(request, exchange, sink, endpoint, sweep, options.nowMs)
      call.start()
      return call
    },
    cleaner: (account) => endpointOf(account).cleaner(),
    connections: () => [...Map.groupBy(endpoints.values(), ({ account }) => account.kind)].map(figuresOf),
    async close() {
      isClosed = true
      for (const endpoint of endpoints.values()) letGo(endpoint)
      endpoints.clear()
      await Promise.all(closing)
    },
  }
}

function figuresOf([provider, endpoints]: [string, readonly Endpoint[]]): ConnectionFigures {
  const sum = (of: (connections: Connections) => number): number =>
    endpoints.reduce((total, { connections }) => total + of(connections), 0)
  return {
    provider,
    busy: sum(({ active, waiting }) => active - waiting),
    idle: sum(({ idle }) => idle),
    waiting: sum(({ waiting }) => waiting),
  }
}

/** The state that all calls of one account share. */
interface Endpoint {
  account: ProviderAccount
  readonly connections: Connections
  readonly dialect: Dialect
  readonly basePath: string
  /** The query of the base URL (`api-version=` of Azure), without the question mark. */
  readonly query: string
  /** The gateway's headers, names and values in turn, the cheapest form for undici. Holds the key. */
  readonly headers: string[]
  /** The same with the dialect's defaults: the head of a call whose client adds nothing. */
  readonly plainHeaders: string[]
  /** Made after the first failure. */
  readonly cleaner: () => Cleaner
  /** The ordinal of its last call, to find the longest idle account. */
  lastCall: number
}

function endpointFor(
  account: ProviderAccount,
  { openCredential, connectorOf, keepAliveMs, loopName }: RemoteOptions,
  connectionsMax: number,
): Endpoint {
  const baseUrl = account.baseUrl ?? kindFacts(account.kind).baseUrl
  if (baseUrl === null) throw new Error(`provider account ${account.id} has no base URL`)
  const url = new URL(baseUrl)
  const dialect = dialectOf(account)
  let credential: string | null
  try {
    credential = openCredential(account)
  } catch (cause) {
    throw new Error(`open the credential of provider account ${account.id}`, { cause })
  }
  const headers = [
    'content-type',
    'application/json',
    'accept',
    'application/json, text/event-stream',
    // Metering reads the answer; one that comes compressed all the same is decoded (content-decoder.ts).
    'accept-encoding',
    'identity',
    // The firewalls of several providers refuse requests without one.
    'user-agent',
    'tollgate',
    'cdn-loop',
    loopName,
  ]
  if (credential !== null) headers.push(...dialect.keyHeader(credential))
  let cleaner: Cleaner | null = null
  return {
    account,
    connections: new Connections(url.origin, connectorOf(account.organizationId), {
      max: connectionsMax,
      ...(keepAliveMs !== undefined && { keepAliveMs }),
    }),
    dialect,
    basePath: url.pathname.replace(/\/+$/, ''),
    query: url.search.slice(1),
    headers,
    plainHeaders: [...headers, ...dialect.defaults],
    cleaner: () => (cleaner ??= cleanerOf({ credential, baseUrl })),
    lastCall: 0,
  }
}

function exchangeOf(request: UpstreamRequest, endpoint: Endpoint): Dispatcher.DispatchOptions {
  const { dialect, basePath } = endpoint
  const ownQuery = dialect.queryOf(request)
  const query =
    endpoint.query === '' || ownQuery === '' ? endpoint.query + ownQuery : `${endpoint.query}&${ownQuery}`
  const path = basePath + dialect.pathOf(request, basePath)
  return {
    path: query === '' ? path : `${path}?${query}`,
    method: 'POST',
    headers: request.headers.length === 0 ? endpoint.plainHeaders : headersWith(request.headers, endpoint),
    body: request.body,
  }
}

/** The gateway's headers, then the client's under other names, then the defaults under names not taken yet. */
function headersWith(added: readonly string[], { headers, dialect }: Endpoint): string[] {
  const all = headers.slice()
  const addAll = (list: readonly string[]): void => {
    const known = new Set(all.filter((_, index) => index % 2 === 0))
    for (let i = 0; i + 1 < list.length; i += 2) {
      const name = list[i]?.toLowerCase() ?? ''
      const value = list[i + 1] ?? ''
      // Some servers join a second header of one name to the first, others replace the first.
      if (!known.has(name) && !neverAdded.has(name)) all.push(name, value)
    }
  }
  addAll(added)
  addAll(dialect.defaults)
  // The one header that both sides write: the earlier hops stay behind this one (RFC 8586, section 2).
  const hops = added.indexOf('cdn-loop')
  const own = all.indexOf('cdn-loop') + 1
  if (hops !== -1) all[own] = `${all[own]}, ${added[hops + 1]}`
  return all
}

/** The account decides on the address and the key, and the connection on the framing of the bytes. */
const neverAdded = new Set([
  'authorization',
  'api-key',
  'x-api-key',
  'x-goog-api-key',
  'cookie',
  'host',
  'connection',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
])

function isSameTarget(a: ProviderAccount, b: ProviderAccount): boolean {
  return a.kind === b.kind && a.baseUrl === b.baseUrl && a.sealedCredential === b.sealedCredential
}

function idlestOf(endpoints: ReadonlyMap<string, Endpoint>): Endpoint {
  return [...endpoints.values()].reduce((idlest, endpoint) =>
    endpoint.lastCall < idlest.lastCall ? endpoint : idlest,
  )
}

/** A call that fails before it begins; reported after `send` has returned, like every other end. */
function failed(sink: UpstreamSink, cause: unknown): UpstreamCall {
  let isOver = false
  queueMicrotask(() => {
    if (!isOver) sink.onFailure({ phase: 'connect', isTimeout: false, cause })
  })
  return { resume() {}, answering() {}, abort: () => void (isOver = true) }
}

class Call implements Exchange, UpstreamCall {
  readonly options: Dispatcher.DispatchOptions
  readonly #sink: UpstreamSink
  readonly #connections: Connections
  readonly #clock: CallClock
  readonly #nowMs: () => number
  client: Exchange['client'] = null
  #controller: Dispatcher.DispatchController | null = null
  /** Null for an answer that is not encoded: nearly every one. */
  #decoder: ContentDecoder | null = null
  /** The lost connection of an encoded answer whose bytes are still being decoded. */
  #lost: UpstreamFailure | null = null
  #isSending = true
  #isOver = false

  constructor(
    { deadlines }: UpstreamRequest,
    exchange: Dispatcher.DispatchOptions,
    sink: UpstreamSink,
    endpoint: Endpoint,
    sweep: DeadlineSweep,
    nowMs: () => number,
  ) {
    this.#sink = sink
    this.#connections = endpoint.connections
    this.#nowMs = nowMs
    this.options = exchange
    this.#clock = sweep.watch(deadlines, (phase, timeoutMs) => {
      this.#fail({
        phase,
        isTimeout: true,
        cause: new Error(`no ${waitedFor[phase]} within ${timeoutMs} ms`),
      })
    })
  }

  start(): void {
    this.#connections.send(this)
    this.#isSending = false
  }

  resume(): void {
    // Not at once: undici's parser must not be entered from inside another call's callback.
    queueMicrotask(() => {
      if (this.#isOver) return
      if (this.#decoder !== null) {
        this.#clock.resume()
        return this.#decoder.resume()
      }
      if (!this.#controller?.paused) return
      this.#clock.resume()
      this.#controller.resume()
    })
  }

  answering(): void {
    this.#clock.answering()
  }

  abort(): void {
    if (this.#isOver) return
    this.#end()
    this.#connections.discard(this)
  }

  /** undici: the head is about to be written. Before this, no byte of the request has left. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#clock.awaitFirstByte()
    this.#sink.onConnected?.()
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    if (this.#isOver || status < 200) return
    this.#clock.touch()
    const encoding = headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity' && !this.#decode(String(encoding))) {
      const cause = new Error(`the answer came in the encoding ${String(encoding)}, which is not supported`)
      return this.#fail({ phase: 'reset', isTimeout: false, cause })
    }
    this.#sink.onHead(status, headersOf(headers, this.#nowMs))
  }

  /** @returns false if the encoding is unknown */
  #decode(encodings: string): boolean {
    const [encoding = '', ...others] = encodings
      .toLowerCase()
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== 'identity' && name !== '')
    if (encoding === '') return true
    if (others.length > 0) return false
    this.#decoder = ContentDecoder.of(encoding, {
      onData: (bytes) => {
        if (this.#isOver) return true
        try {
          if (this.#sink.onData(bytes)) return true
        } catch (cause) {
          // In a callback of the decoder nothing else would catch it.
          this.#fail({ phase: 'reset', isTimeout: false, cause })
          return true
        }
        this.#clock.pause()
        return false
      },
      onEnd: () => this.#finish(),
      onFault: (cause) => this.#fail({ phase: 'reset', isTimeout: false, cause }),
    })
    return this.#decoder !== null
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (this.#isOver) return
    this.#clock.touch()
    if (this.#decoder !== null) {
      if (!this.#decoder.write(bytes, () => controller.resume())) controller.pause()
      return
    }
    if (this.#sink.onData(bytes)) return
    controller.pause()
    this.#clock.pause()
  }

  onResponseEnd(): void {
    if (this.#isOver) return
    this.#connections.release(this)
    if (this.#decoder === null) this.#finish()
    else this.#decoder.end()
  }

  #finish(): void {
    // A connection was lost behind an encoded answer: what had come is decoded now.
    if (this.#lost !== null) return this.#fail(this.#lost)
    if (this.#isOver) return
    this.#end()
    try {
      this.#sink.onEnd()
    } catch (cause) {
      // undici would swallow the error here (elsewhere it fails the call), and the call would never end.
      this.#sink.onFailure({ phase: 'reset', isTimeout: false, cause })
    }
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    const phase = this.#controller ? 'reset' : 'connect'
    const failure = {
      phase,
      isTimeout: phase === 'connect' && isTimeout(error),
      cause: plain(error),
    } as const
    if (this.#decoder !== null && !this.#isOver && this.#lost === null) {
      this.#lost = failure
      this.#decoder.end()
    } else if (this.#isSending) queueMicrotask(() => this.#fail(failure))
    else this.#fail(failure)
  }

  #fail(failure: UpstreamFailure): void {
    if (this.#isOver) return
    this.#end()
    this.#connections.discard(this)
    this.#sink.onFailure(failure)
  }

  #end(): void {
    this.#isOver = true
    this.#decoder?.destroy()
    this.#clock.stop()
  }
}

type RawHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

const waitedFor = {
  connect: 'connection',
  first_byte: 'response head',
  first_token: 'token',
  idle: 'further byte',
  total: 'end of the answer',
} as const

function isTimeout(error: Error): boolean {
  const code = codeOf(error)
  return code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT'
}

/** undici's parser errors carry the bytes at fault, which are content and must not be logged. */
function plain(error: Error): Error {
  if (!('data' in error)) return error
  return new Error(`${codeOf(error)}: ${error.message}`)
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
