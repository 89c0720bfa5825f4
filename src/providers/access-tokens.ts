import type { buildConnector } from 'undici'
import { numberOrNull, parseObject, textOrNull } from '#wire/text/json-values.ts'
import type { TokenGrant } from './dialect-interface.ts'
import { ProviderClient } from './provider-client.ts'
import type { ClientRequest } from './request-head.ts'

export type TokenAnswer =
  | { readonly kind: 'token'; readonly token: string }
  /** `said` is the server's reason, which may be empty. */
  | { readonly kind: 'rejected'; readonly said: string }
  | { readonly kind: 'failed'; readonly host: string; readonly cause: Error }

interface TokenOptions {
  /** Opens connections only to allowed addresses. */
  readonly connector: buildConnector.connector
  readonly loopName: string
  readonly nowMs: () => number
}

/** Calls that wait for the token have deadlines of their own. */
const timeoutMs = 10_000
/** A response with a token is far smaller than this size. */
const bytesMax = 64 * 1024
/** A token is not used in this time before its expiry, because it could expire on its way to the provider. */
const marginMs = 60_000
const usualLifetimeSeconds = 3_600

/**
 * A token is requested by the first call that needs it, and is used until shortly before it expires. At most one token
 * request runs at a time, and all waiting calls get its result. A failed request is not remembered, so the next call
 * sends another token request.
 */
export class AccessTokens {
  readonly #grant: TokenGrant
  readonly #options: TokenOptions
  #current: { readonly token: string; readonly untilMs: number } | null = null
  #waiting: ((answer: TokenAnswer) => void)[] = []
  #settled: Promise<void> | null = null

  constructor(grant: TokenGrant, options: TokenOptions) {
    this.#grant = grant
    this.#options = options
  }

  /** The promise resolves when all waiting calls have their token. Null if no token request is in progress. */
  get settled(): Promise<void> | null {
    return this.#settled
  }

  /** Returns null if a call must wait for a token. */
  current(): string | null {
    const { token = null, untilMs = 0 } = this.#current ?? {}
    return this.#options.nowMs() < untilMs ? token : null
  }

  /**
   * Sends no second request while a token request is in progress.
   * @param then is called later, and must not throw
   */
  next(then: (answer: TokenAnswer) => void): void {
    this.#waiting.push(then)
    this.#settled ??= this.#settle()
  }

  /** Call this function if the provider rejected the token, so that the next call requests a new token. */
  forget(token: string): void {
    if (this.#current?.token === token) this.#current = null
  }

  async #settle(): Promise<void> {
    const answer = await this.#exchange()
    const waiting = this.#waiting
    this.#waiting = []
    this.#settled = null
    for (const one of waiting) one(answer)
  }

  async #exchange(): Promise<TokenAnswer> {
    const { connector, loopName, nowMs } = this.#options
    const startMs = nowMs()
    const url = new URL(this.#grant.url)
    const client = new ProviderClient(url.origin, { connect: connector })
    const timer = setTimeout(() => client.destroy(new Error(`no response within ${timeoutMs} ms`)), timeoutMs)
    try {
      const { status, text } = await responseOf(client, {
        method: 'POST',
        path: url.pathname + url.search,
        headers: [
          'content-type',
          'application/x-www-form-urlencoded',
          'accept',
          'application/json',
          'user-agent',
          'tollgate',
          'cdn-loop',
          loopName,
        ],
        body: new URLSearchParams(this.#grant.form(startMs)).toString(),
      })
      const { access_token, error, error_description, expires_in } = parseObject(text) ?? {}
      if (isRejection(status)) {
        const said = [error, error_description].map(textOrNull).filter((part) => part !== null)
        return { kind: 'rejected', said: said.join(': ') }
      }
      const token = textOrNull(access_token)
      if (status !== 200) throw new Error(`it returned ${status}`)
      if (token === null || !/^[\x21-\x7e]+$/.test(token)) throw new Error('its response has no token')
      const lifetimeMs = 1_000 * (numberOrNull(expires_in) ?? usualLifetimeSeconds)
      this.#current = { token, untilMs: startMs + lifetimeMs - marginMs }
      return { kind: 'token', token }
    } catch (cause) {
      const { host } = url
      return { kind: 'failed', host, cause: new Error(`get an access token from ${host}`, { cause }) }
    } finally {
      clearTimeout(timer)
      client.destroy()
    }
  }
}

/** All other statuses mean a limit or a failure of the server. */
function isRejection(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}

function responseOf(
  client: ProviderClient,
  request: ClientRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  const { promise, reject, resolve } = Promise.withResolvers<{ status: number; text: string }>()
  const pieces: Buffer[] = []
  let status = 0
  let size = 0
  client.dispatch(request, {
    onRequestStart() {},
    onResponseStart: (_, newStatus) => void (status = newStatus),
    onResponseData(_, bytes) {
      size += bytes.length
      if (size > bytesMax) throw new Error(`its response has more than ${bytesMax} bytes`)
      pieces.push(Buffer.from(bytes))
    },
    onResponseEnd: () => resolve({ status, text: Buffer.concat(pieces).toString('utf8') }),
    onResponseError: (_, error) => reject(error),
  })
  return promise
}
