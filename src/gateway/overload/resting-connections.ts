/**
 * The connections of rejected clients. After a rejection, a connection rests for some seconds. If the client sends a
 * request on a resting connection, the request waits on the connection. The wait ends when the process has capacity for
 * the request, or when the connection has rested long enough.
 *
 * Without these rests, the process would spend all its time on rejections if clients send many times as many requests
 * as the process can serve. A client that obeys `retry-after` notices no difference, because no rest is longer than the
 * wait in `retry-after`.
 */
export class RestingConnections {
  readonly #monotonicMs: () => number
  /** The entries of connections, in the order in which the connections began to rest. */
  #entries: Entry[] = []
  /** Index of the first entry whose `untilMs` has not passed. */
  #first = 0
  /**
   * Resting connections on which an early request has arrived, in the order of arrival. A request is early if its
   * connection rests when it arrives. The list may contain connections that no longer rest.
   */
  #early: Entry[] = []
  /** Number of connections that rest. */
  #count = 0
  /** Number of bytes of early requests (`#early`) that resting connections keep. */
  #bytes = 0

  get count(): number {
    return this.#count
  }

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  /**
   * Returns the time until which a connection rests if it begins to rest now. The more connections rest already, the
   * longer a new connection rests. Even if every client retries too early, the process spends only a small share of its
   * time on rejections.
   * @param rejectionMs duration of a rejection
   */
  nextEndMs(nowMs: number, rejectionMs: number): number {
    const ms = (this.#count * rejectionMs) / rejectionShare
    return Math.max(nowMs + Math.min(restMsMax, Math.max(restMsMin, ms)), this.#entries.at(-1)?.untilMs ?? 0)
  }

  /** @param untilMs the result of `nextEndMs` */
  add(restAfter: Rest, untilMs: number): void {
    const entry: Entry = { untilMs, arrivedMs: Infinity, bytes: 0, connection: null }
    entry.connection = restAfter((bytes) => this.#arrived(entry, bytes))
    this.#entries.push(entry)
    this.#count += 1
  }

  /**
   * Counts the bytes of an early request. If all early requests together need too much memory, this request is not kept
   * and is rejected immediately.
   */
  #arrived(entry: Entry, bytes: number): void {
    if (entry.bytes === 0) {
      entry.arrivedMs = this.#monotonicMs()
      this.#early.push(entry)
    }
    entry.bytes += bytes
    this.#bytes += bytes
    if (this.#bytes > bytesMax) this.#end(entry, 'time')
  }

  /**
   * Reads the newest requests from resting connections. The earlier a request arrived, the more likely its client has
   * given up.
   * @param most maximum number of requests
   * @param sinceMs requests that arrived before this time are not read
   */
  readNewest(most: number, sinceMs: number): void {
    for (let left = most; left > 0;) {
      const entry = this.#early.at(-1)
      if (entry === undefined || entry.arrivedMs < sinceMs) return
      this.#early.pop()
      if (this.#end(entry, 'capacity')) left -= 1
    }
  }

  /** Lets connections that have rested long enough stop resting. */
  endDue(nowMs: number): void {
    for (let entry = this.#entries[this.#first]; entry !== undefined && entry.untilMs <= nowMs;) {
      this.#end(entry, 'time')
      this.#first += 1
      entry = this.#entries[this.#first]
    }
    if (this.#first * 2 < this.#entries.length) return
    this.#entries = this.#entries.slice(this.#first)
    this.#first = 0
    this.#early = this.#early.filter(({ connection }) => connection !== null)
  }

  endAll(): void {
    this.endDue(Infinity)
  }

  /** @returns false if the connection no longer rests */
  #end(entry: Entry, reason: 'capacity' | 'time'): boolean {
    const { connection } = entry
    if (connection === null) return false
    entry.connection = null
    this.#count -= 1
    this.#bytes -= entry.bytes
    connection.resume(reason)
    return true
  }
}

/**
 * Maximum share of the process's time for rejections, if every client retries as soon as its connection stops resting.
 */
const rejectionShare = 1 / 10
export const restMsMin = 2_000
export const restMsMax = 5_000
/** Maximum memory for requests that arrive on resting connections, in bytes. */
const bytesMax = 64 * 1024 * 1024

/** A connection that rests. Its next request waits until `resume` is called. */
export interface RestingConnection {
  /**
   * Lets the connection stop resting.
   * @param reason `capacity` if the process has capacity for the next request. `time` for any other reason: the
   *   connection has rested long enough, memory is short, or the server stops. A request that arrived while the
   *   connection rested counts as early only if the reason is `time`.
   */
  resume(reason: 'capacity' | 'time'): void
}

/**
 * Lets a connection begin to rest.
 * @param onEarly called with the number of bytes if a part of a request arrives while the connection rests
 */
export type Rest = (onEarly: OnEarly) => RestingConnection
export type OnEarly = (bytes: number) => void

interface Entry {
  readonly untilMs: number
  /** When the connection's next request arrived. */
  arrivedMs: number
  /** Number of bytes of this request that have arrived. */
  bytes: number
  /** Null if the connection no longer rests. */
  connection: RestingConnection | null
}
