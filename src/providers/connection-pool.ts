import { Client, type buildConnector, type Dispatcher } from 'undici'

/** One request as the connections send it; undici calls the methods of `Dispatcher.DispatchHandler`. */
export interface Exchange extends Dispatcher.DispatchHandler {
  readonly options: Dispatcher.DispatchOptions
  /** The connection that carries it; null before and after. Only `Connections` sets it. */
  client: Client | null
}

/**
 * Below the 5 s after which Node and uvicorn close an idle connection without a word: a request that crosses such a
 * close fails, and one that may have been served cannot be sent again.
 */
const defaultKeepAliveMs = 4_000

/**
 * HTTP/1.1 connections to one origin: each carries one request at a time, the one used last is used
 * first (so that what is not needed goes idle and closes), and no more than `max` are open.
 *
 * This is what undici's `Pool` does, on undici's own `Client`. It is written out because `Pool` looks
 * through all its clients for a free one, which with 1,000 live streams costs half as much again as the
 * whole request (45 us against 30 us of CPU; 20 against 18 with 32), because a request that waits in a
 * `Pool` cannot be taken back, and because here a failed connection is the failure of exactly one call.
 *
 * The owner of an exchange must `release` it when its answer is complete and `discard` it otherwise,
 * each exactly once.
 */
export class Connections {
  readonly #origin: string
  readonly #connector: buildConnector.connector
  readonly #max: number
  readonly #keepAliveMs: number
  readonly #idle: Client[] = []
  #busy = 0
  /** First in, first out; a Set, so that a withdrawn exchange leaves at once. */
  readonly #waiting = new Set<Exchange>()
  #isClosing = false
  readonly #closed = Promise.withResolvers<void>()

  constructor(
    origin: string,
    connector: buildConnector.connector,
    { keepAliveMs = defaultKeepAliveMs, max }: { readonly max: number; readonly keepAliveMs?: number },
  ) {
    this.#origin = origin
    this.#connector = connector
    this.#max = max
    this.#keepAliveMs = keepAliveMs
  }

  /** Exchanges sent or waiting. */
  get active(): number {
    return this.#busy + this.#waiting.size
  }

  /** Exchanges that wait for a connection. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Open connections without an exchange. */
  get idle(): number {
    return this.#idle.length
  }

  send(exchange: Exchange): void {
    const client = this.#idle.pop() ?? (this.#busy < this.#max ? this.#open() : null)
    if (client) this.#dispatch(client, exchange)
    else this.#waiting.add(exchange)
  }

  /** The answer is complete: the connection takes the next request. */
  release(exchange: Exchange): void {
    const { client } = exchange
    if (!client) return
    this.#part(exchange)
    const next = this.#next()
    if (next) this.#dispatch(client, next)
    else if (this.#isClosing) this.#drop(client)
    else this.#idle.push(client)
    this.#settle()
  }

  /** The exchange failed or is no longer wanted: its connection is closed, whatever it was doing. */
  discard(exchange: Exchange): void {
    const { client } = exchange
    if (!client) {
      this.#waiting.delete(exchange)
      return this.#settle()
    }
    this.#part(exchange)
    this.#drop(client)
    const next = this.#next()
    if (next) this.#dispatch(this.#open(), next)
    this.#settle()
  }

  /** Resolves when all exchanges, sent or waiting, are over. None may be sent any more. */
  close(): Promise<void> {
    this.#isClosing = true
    for (const client of this.#idle.splice(0)) this.#drop(client)
    this.#settle()
    return this.#closed.promise
  }

  #open(): Client {
    const client = new Client(this.#origin, {
      connect: this.#connector,
      allowH2: false,
      pipelining: 1,
      // The calls have deadlines of their own (deadline-sweep.ts).
      headersTimeout: 0,
      bodyTimeout: 0,
      // A server that names a longer time (Keep-Alive: timeout=) gets that one.
      keepAliveTimeout: this.#keepAliveMs,
    })
    client.on('disconnect', () => {
      const at = this.#idle.indexOf(client)
      if (at < 0) return
      this.#idle.splice(at, 1)
      this.#drop(client)
    })
    return client
  }

  #dispatch(client: Client, exchange: Exchange): void {
    exchange.client = client
    this.#busy++
    client.dispatch(exchange.options, exchange)
  }

  #part(exchange: Exchange): void {
    exchange.client = null
    this.#busy--
  }

  #next(): Exchange | undefined {
    const [next] = this.#waiting
    if (next) this.#waiting.delete(next)
    return next
  }

  #drop(client: Client): void {
    // Resolves when the socket has closed; nothing waits for it, and it never rejects (undici's #destroy).
    void client.destroy()
  }

  #settle(): void {
    if (this.#isClosing && this.active === 0) this.#closed.resolve()
  }
}
