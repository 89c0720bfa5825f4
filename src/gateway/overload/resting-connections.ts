/**
 * After a rejection, the client's connection rests for some seconds. If the client sends a request on a resting
 * connection, the request waits on the connection. If the process has capacity soon, the request is served. Otherwise,
 * the request is rejected when the connection has rested long enough.
 *
 * If clients send many times as many requests as the process can serve, rejections would otherwise take all its time. A
 * client that obeys `retry-after` notices nothing, because no rest is longer than the wait in `retry-after`.
 */
export class RestingConnections {
  readonly #monotonicMs: () => number
  /** Entries, in the order in which the connections began to rest. */
  #entries: Entry[] = []
  /** Index of the first entry whose `untilMs` has not passed. */
  #first = 0
  /**
   * Resting connections with a request that arrived while they rested, in the order of arrival. Some of these
   * connections may no longer rest.
   */
  #early: Entry[] = []
  #count = 0
  /** Number of bytes of early requests that resting connections keep. */
  #bytes = 0

  get count(): number {
    return this.#count
  }

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  /**
   * The more connections rest already, the longer a new connection rests. Even if every client retries too early,
   * rejections therefore take only a small share of the time.
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

  /** If all early requests together need too much memory, this request is rejected immediately. */
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
   * The earlier a request arrived, the more likely its client has given up, so the newest requests come first.
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

/** Maximum share of the time for rejections, if every client retries as soon as its connection stops resting. */
const rejectionShare = 1 / 10
export const restMsMin = 2_000
export const restMsMax = 5_000
/** Maximum memory for requests on resting connections. */
const bytesMax = 64 * 1024 * 1024

/** Its next request waits until `resume` is called. */
export interface RestingConnection {
  /**
   * @param reason `capacity` if the process has capacity for the next request; `time` for any other reason. Other
   *   reasons are that the connection has rested long enough, memory is short, or the server stops. A request that
   *   arrived during the rest counts as early only if the reason is `time`.
   */
  resume(reason: 'capacity' | 'time'): void
}

/** @param onEarly called with the number of bytes if a part of a request arrives while the connection rests */
export type Rest = (onEarly: OnEarly) => RestingConnection
export type OnEarly = (bytes: number) => void

interface Entry {
  readonly untilMs: number
  arrivedMs: number
  bytes: number
  /** Null if the connection no longer rests. */
  connection: RestingConnection | null
}
