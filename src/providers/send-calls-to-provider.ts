import type { ProviderAccount } from '#domain/application-config.ts'
import { Failure } from '#domain/errors.ts'
import type {
  Upstream,
  UpstreamCall,
  UpstreamFailure,
  UpstreamRequest,
  UpstreamSink,
} from '#domain/provider-upstream-interface.ts'
import type { AccessTokens, TokenAnswer } from './access-tokens.ts'
import { ContentDecoder } from './decompress-response-body.ts'
import type { Connections, Exchange } from './connection-pool.ts'
import {
  type CallOptions,
  type Endpoint,
  endpointFor,
  type EndpointOptions,
  exchangeOf,
  idlestOf,
  isSameTarget,
} from './connections-of-account.ts'
import { EventStreamSink } from './bedrock-stream-to-events.ts'
import { ConnectionShare, type ShareLimits } from './connection-limit-of-organization.ts'
import type { CallClock, DeadlineSweep } from '#domain/calls/deadline-sweep.ts'
import type { ResponseFlow } from './provider-connection.ts'
import { headersOf } from './response-headers.ts'
import type { ResponseHeaders } from './response-parser.ts'

export const connectionLimits = {
  connectionsMax: 4_096,
  accountsMax: 1_000,
  accountsOfOrganizationMax: 500,
  ofOrganization: { connectionsMax: 8_192, waitingMax: 1_024 },
} as const

export interface RemoteOptions extends EndpointOptions {
  readonly sweep: DeadlineSweep
  readonly connectionsMax?: number
  /** Beyond this number of open accounts, the account that has been idle longest is dropped. */
  readonly accountsMax?: number
  readonly accountsOfOrganizationMax?: number
  readonly ofOrganization?: ShareLimits
}

/** The promise of `close` resolves when all calls in flight have ended. */
export interface ClosableUpstream extends Upstream {
  connections(): readonly ConnectionFigures[]
  close(): Promise<void>
}

export interface ConnectionFigures {
  readonly provider: string
  readonly busy: number
  readonly idle: number
  readonly waiting: number
}

/**
 * Sends each request with the account's key to the URL of the account's kind (provider-dialects.ts). Only the dialect
 * changes request bodies (`bodyOf`). Redirects are not followed, because the key would be sent to the server that the
 * redirect names (docs/reference/threats.md "Redirects of providers").
 *
 * Each account has its own connections, so tenants never share a connection. After an account's base URL or key has
 * changed, old connections are never used again. The next call closes them (docs/reference/threats.md "Connections and
 * accounts").
 *
 * A call creates neither a promise nor a timer of its own, and a chunk creates no promise. A call costs 16-20 us of
 * CPU, half of it in the socket. In the same measurement with 32 concurrent calls, `undici.request` on a `Pool` took
 * 22-27 us.
 */
export function remote(options: RemoteOptions): ClosableUpstream {
  const { accountsMax, accountsOfOrganizationMax, connectionsMax, ofOrganization, sweep } = {
    ...connectionLimits,
    ...options,
  }
  const endpoints = new Map<string, Endpoint>()
  const shares = new Map<string, ConnectionShare>()
  const closing = new Set<Promise<void>>()
  let isClosed = false
  let calls = 0

  const shareOf = (organizationId: string): ConnectionShare => {
    const known = shares.get(organizationId)
    if (known) return known
    const share = new ConnectionShare(ofOrganization)
    shares.set(organizationId, share)
    return share
  }

  const letGo = ({ account: { organizationId }, connections, tokens }: Endpoint): void => {
    // Before the connections close, the calls that wait for a token are sent.
    const isSent = tokens?.settled ?? null
    const ending = isSent === null ? connections.close() : isSent.then(() => connections.close())
    const closed = ending.finally(() => {
      closing.delete(closed)
      if (shares.get(organizationId)?.isUnused === true) shares.delete(organizationId)
    })
    closing.add(closed)
  }

  const forgetIdlest = (organizationId: string): void => {
    const all = [...endpoints.values()]
    const own = all.filter(({ account }) => account.organizationId === organizationId)
    const among = own.length >= accountsOfOrganizationMax ? own : all.length >= accountsMax ? all : []
    if (among.length === 0) return
    const idlest = idlestOf(among)
    endpoints.delete(idlest.account.id)
    letGo(idlest)
  }

  const endpointOf = (account: ProviderAccount): Endpoint => {
    const known = endpoints.get(account.id)
    if (known?.account === account) return known
    if (known && isSameTarget(known.account, account)) {
      known.account = account
      return known
    }
    const endpoint = endpointFor(account, options, {
      max: connectionsMax,
      share: shareOf(account.organizationId),
    })
    if (known) letGo(known)
    else forgetIdlest(account.organizationId)
    endpoints.set(account.id, endpoint)
    return endpoint
  }

  return {
    send(request, sink) {
      if (isClosed) return failed(sink, new Error('the provider adapter is closed'))
      let endpoint: Endpoint
      let exchange: CallOptions
      try {
        endpoint = endpointOf(request.account)
        exchange = exchangeOf(request, endpoint)
      } catch (error) {
        return failed(sink, error)
      }
      endpoint.lastCall = ++calls
      const reader = endpoint.dialect.hasEventStreams === true ? new EventStreamSink(sink) : null
      const call = new Call(request, exchange, reader ?? sink, endpoint, sweep, options.nowMs)
      if (reader !== null) reader.call = call
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

/** The failure is reported after `send` has returned, like the end of every other call. */
function failed(sink: UpstreamSink, cause: unknown): UpstreamCall {
  let isOver = false
  queueMicrotask(() => {
    if (!isOver) sink.onFailure({ phase: 'connect', isTimeout: false, cause })
  })
  return { resume() {}, answering() {}, abort: () => void (isOver = true) }
}

class Call implements Exchange, UpstreamCall {
  options: CallOptions
  readonly #sink: UpstreamSink
  readonly #connections: Connections
  readonly #tokens: AccessTokens | null
  readonly #clock: CallClock
  readonly #nowMs: () => number
  client: Exchange['client'] = null
  /** Null if the call is sent without an access token. */
  #token: string | null = null
  #flow: ResponseFlow | null = null
  /** Null if the response is not encoded, which is the usual case. */
  #decoder: ContentDecoder | null = null
  /** The connection failure of an encoded response whose bytes are still being decoded. */
  #lost: UpstreamFailure | null = null
  #isSending = true
  #isOver = false

  constructor(
    { deadlines }: UpstreamRequest,
    exchange: CallOptions,
    sink: UpstreamSink,
    endpoint: Endpoint,
    sweep: DeadlineSweep,
    nowMs: () => number,
  ) {
    this.#sink = sink
    this.#connections = endpoint.connections
    this.#tokens = endpoint.tokens
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
    if (this.#tokens === null) return this.#send()
    const token = this.#tokens.current()
    if (token === null) this.#tokens.next((answer) => this.#sendWith(answer))
    else this.#sendWith({ kind: 'token', token })
  }

  #sendWith(answer: TokenAnswer): void {
    if (this.#isOver) return
    switch (answer.kind) {
      case 'token': {
        this.#token = answer.token
        const headers = [...this.options.headers, 'authorization', `Bearer ${answer.token}`]
        this.options = { ...this.options, headers }
        return this.#send()
      }
      case 'failed':
        return this.#fail({ phase: 'connect', isTimeout: false, cause: answer.cause, host: answer.host })
      case 'rejected':
        return this.#refuse(answer.said)
      default:
        return answer satisfies never
    }
  }

  /** The caller sees a response as if the provider had rejected the call. */
  #refuse(said: string): void {
    const reason = said === '' ? 'no reason was given' : said
    const message = `The key of the service account was rejected: ${reason}`
    this.#sink.onHead(401, { contentType: 'application/json', retryAfterSeconds: null })
    this.#sink.onData(
      Buffer.from(JSON.stringify({ error: { code: 401, message, status: 'UNAUTHENTICATED' } })),
    )
    this.#finish()
  }

  #send(): void {
    if (!this.#connections.send(this)) queueMicrotask(() => this.#fail(tooManyWaiting()))
    this.#isSending = false
  }

  resume(): void {
    // Resume later, because the parser must not be called inside the callback of another call.
    queueMicrotask(() => {
      if (this.#isOver) return
      if (this.#decoder !== null) {
        this.#clock.resume()
        return this.#decoder.resume()
      }
      if (!this.#flow?.paused) return
      this.#clock.resume()
      this.#flow.resume()
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

  /** The client calls this method right before it writes the first byte of the request. */
  onRequestStart(flow: ResponseFlow): void {
    this.#flow = flow
    this.#clock.awaitFirstByte()
    this.#sink.onConnected?.()
  }

  onResponseStart(_: ResponseFlow, status: number, headers: ResponseHeaders): void {
    if (this.#isOver || status < 200) return
    this.#clock.touch()
    if (status === 401 && this.#token !== null) this.#tokens?.forget(this.#token)
    const encoding = headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity' && !this.#decode(String(encoding))) {
      const cause = new Error(`the response has the encoding ${String(encoding)}, which is not supported`)
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
          // Catch the error here, because no other code would catch an error in a callback of the decoder.
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

  onResponseData(flow: ResponseFlow, bytes: Uint8Array): void {
    if (this.#isOver) return
    this.#clock.touch()
    if (this.#decoder !== null) {
      if (!this.#decoder.write(bytes, () => flow.resume())) flow.pause()
      return
    }
    if (this.#sink.onData(bytes)) return
    flow.pause()
    this.#clock.pause()
  }

  onResponseEnd(): void {
    if (this.#isOver) return
    this.#connections.release(this)
    if (this.#decoder === null) this.#finish()
    else this.#decoder.end()
  }

  #finish(): void {
    // All received bytes of an encoded response are decoded before the loss of the connection is reported.
    if (this.#lost !== null) return this.#fail(this.#lost)
    if (this.#isOver) return
    this.#end()
    try {
      this.#sink.onEnd()
    } catch (cause) {
      // Catch errors here, because the connection no longer handles errors of this call. If another callback throws an
      // error, the call fails.
      this.#sink.onFailure({ phase: 'reset', isTimeout: false, cause })
    }
  }

  onResponseError(_: ResponseFlow | null, error: Error): void {
    const phase = this.#flow ? 'reset' : 'connect'
    const failure = {
      phase,
      isTimeout: phase === 'connect' && isTimeout(error),
      cause: error,
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

/** The failure is reported to the caller, because the provider did not cause it. */
function tooManyWaiting(): UpstreamFailure {
  const cause = new Failure('rate_limited', { retryAfterSeconds: 1 })
  return { phase: 'connect', isTimeout: false, cause }
}

const waitedFor = {
  connect: 'connection',
  first_byte: 'response headers',
  first_token: 'token',
  idle: 'further byte',
  total: 'end of the response',
} as const

function isTimeout(error: Error): boolean {
  const code = codeOf(error)
  return code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT'
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
