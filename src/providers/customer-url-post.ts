import { isIP } from 'node:net'
import { Client, type buildConnector } from 'undici'
import { addressFault, outboundFault } from '#domain/network/check-outbound-address.ts'
import type { Resolve } from './name-resolver.ts'
import { guardedConnector, OutboundRefused } from './outbound-guard.ts'

/** A POST to a URL that a customer has entered. */
export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Timeout for the DNS look-up, the connection and the response together. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type PostAnswer =
  /** `text` is the beginning of the body if the body is too long or never ends. */
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  /** No byte was sent. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It is unknown whether the receiver processed the request. */
  | { readonly kind: 'failed'; readonly reason: string }

export interface CustomerUrlPostOptions {
  /** The look-ups count toward the limit of the customer's organization. */
  readonly resolve: Resolve
  readonly loopName: string
  readonly isOwnPeer: (address: string, port: number) => boolean
  /**
   * Only for tests: replaces the connector that checks addresses. The URLs of requests are still checked. Before a kept
   * connection is reused, the address of the peer is also checked, unless `isUnchecked` is set.
   */
  readonly connector?: buildConnector.connector
  /** Only for tests: skips the DNS look-up before a kept connection is reused. */
  readonly isUnchecked?: boolean
}

const answerBytesMax = 64 * 1024

/** Idle connections are closed after this time, before servers close them (provider-client.ts). */
const keepAliveMs = 4_000

const publicOnly = { allowPrivate: false, isPlain: false } as const

/**
 * The host is resolved for every POST, and every address in the result is checked. A new connection uses only addresses
 * that were checked for this connection. A kept connection is reused only if the peer's address is among the checked
 * addresses. Only https is allowed, without redirects, proxies or decompression.
 */
export class CustomerUrlPost {
  readonly #resolve: Resolve
  readonly #connector: buildConnector.connector
  readonly #isChecked: boolean
  readonly #loopName: string
  #kept: { readonly client: Client; readonly origin: string; readonly peer: string } | null = null

  constructor({ connector, isOwnPeer, isUnchecked = false, loopName, resolve }: CustomerUrlPostOptions) {
    this.#resolve = resolve
    this.#connector = connector ?? guardedConnector({ allowPrivate: false, isOwnPeer, resolve })
    this.#isChecked = !isUnchecked
    this.#loopName = loopName
  }

  async send(post: Post): Promise<PostAnswer> {
    const fault = postFault(post.url)
    if (fault !== null) return { kind: 'refused', reason: fault }
    const signal = AbortSignal.any([post.signal, AbortSignal.timeout(post.timeoutMs)])
    const answer = await this.#exchange(new URL(post.url), post, signal)
    return answer.kind === 'failed' && signal.aborted && !post.signal.aborted
      ? { kind: 'failed', reason: `no response within ${post.timeoutMs / 1_000} s` }
      : answer
  }

  close(): void {
    const kept = this.#kept
    this.#kept = null
    if (kept !== null) drop(kept.client)
  }

  async #exchange(url: URL, post: Post, signal: AbortSignal): Promise<PostAnswer> {
    let client: Client | null = null
    let peer = ''
    try {
      const kept = await this.#reusable(url, signal)
      if (kept !== null) ({ client, peer } = kept)
      else {
        client = new Client(url.origin, {
          connect: (options, callback) =>
            this.#connector(options, (...[error, socket]) => {
              if (error) return callback(error, null)
              peer = socket.remoteAddress ?? ''
              callback(null, socket)
            }),
          allowH2: false,
          pipelining: 1,
          headersTimeout: 0,
          bodyTimeout: 0,
          keepAliveTimeout: keepAliveMs,
        })
      }
      const answer = await client.request({
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: { ...post.headers, 'cdn-loop': this.#loopName },
        body: post.body,
        signal,
      })
      const { isWhole, text } = await beginningOf(answer.body)
      if (isWhole) {
        this.#kept = { client, origin: url.origin, peer }
        client = null
      }
      return { kind: 'answered', status: answer.statusCode, text }
    } catch (error) {
      if (error instanceof OutboundRefused) return { kind: 'refused', reason: error.message }
      return { kind: 'failed', reason: reasonOf(error) }
    } finally {
      if (client !== null) drop(client)
    }
  }

  /** Returns null if the peer's address is not among the host's current addresses. */
  async #reusable(url: URL, signal: AbortSignal): Promise<{ client: Client; peer: string } | null> {
    const kept = this.#kept
    this.#kept = null
    if (kept === null) return null
    if (kept.origin === url.origin && !kept.client.destroyed && kept.client.stats.connected) {
      if (!this.#isChecked) return kept
      try {
        const addresses = await this.#addressesOf(url.hostname, signal)
        if (addresses.includes(kept.peer)) return kept
      } catch (error) {
        drop(kept.client)
        throw error
      }
    }
    drop(kept.client)
    return null
  }

  /** @throws OutboundRefused if any address is not public */
  #addressesOf(hostname: string, signal: AbortSignal): Promise<string[]> {
    const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
    if (isIP(literal) !== 0) return Promise.resolve([literal])
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('no response to the DNS lookup')), {
        once: true,
      })
      this.#resolve(hostname, (error, addresses) => {
        if (error) return reject(error)
        for (const { address } of addresses) {
          const fault = addressFault(address, publicOnly)
          if (fault !== null) return reject(new OutboundRefused(hostname, fault))
        }
        resolve(addresses.map(({ address }) => address))
      })
    })
  }
}

/** Returns the end of a sentence: why this URL is not allowed. */
function postFault(url: string): string | null {
  return outboundFault(url, { allowPrivate: false })
}

async function beginningOf(body: AsyncIterable<unknown>): Promise<{ isWhole: boolean; text: string }> {
  const pieces: Buffer[] = []
  let bytes = 0
  try {
    for await (const piece of body) {
      if (!Buffer.isBuffer(piece)) continue
      pieces.push(piece)
      bytes += piece.length
      if (bytes > answerBytesMax) return { isWhole: false, text: textOf(pieces) }
    }
    return { isWhole: true, text: textOf(pieces) }
  } catch {
    // The status has arrived, so an error while the body is read does not change the result.
    return { isWhole: false, text: textOf(pieces) }
  }
}

function textOf(pieces: readonly Buffer[]): string {
  return Buffer.concat(pieces).subarray(0, answerBytesMax).toString('utf8')
}

/** The error's own text may contain addresses of this network, so only the error's code is returned. */
function reasonOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? `the connection failed (${code})` : 'the connection failed'
}

function drop(client: Client): void {
  client.destroy().catch(() => {})
}
