/**
 * Sends requests in an open loop: each request is sent when it is due, whether or not earlier requests have ended. A
 * closed loop slows down with its server, so it never shows an overload. The latency of a request counts from the time
 * at which the request was due.
 */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { requestsOf } from './closed-loop-load-driver.ts'
import { heldStream } from './memory-per-open-stream.ts'
import { AnswerReader } from './read-http-responses.ts'
import { jsonCall, type Target } from './targets-and-scenarios.ts'

/** Shorter than a turn of the event loop under load, so that requests are not sent in bursts. */
const tickMs = 2

const endMs = 10_000

/**
 * Sends requests at a fixed rate.
 * @returns the number of requests that were due in a second
 */
export async function sendAtRate(
  arrivals: Arrivals,
  {
    onTick,
    perSecond,
    windowMs,
  }: { readonly perSecond: number; readonly windowMs: number; readonly onTick?: () => void },
): Promise<number> {
  const startedMs = performance.now()
  let due = 0
  let elapsedMs = 0
  for (; elapsedMs < windowMs; elapsedMs = performance.now() - startedMs) {
    for (const until = (elapsedMs * perSecond) / 1000; due < until; due++)
      arrivals.arrive(startedMs + (due * 1000) / perSecond)
    onTick?.()
    // oxlint-disable-next-line no-await-in-loop -- the schedule
    await wait(tickMs)
  }
  return (due * 1000) / elapsedMs
}

/**
 * Sends requests on connections that are already open. New connections would mostly measure the kernel, which lets only
 * a few connections wait and rejects others for a second.
 */
export class Arrivals {
  readonly admittedMs: number[] = []
  readonly refusedMs: number[] = []
  failed = 0
  unsent = 0
  readonly #target: Target
  readonly #requests: readonly Buffer[]
  readonly #idle: Connection[] = []
  #busy = 0
  #next = 0

  readonly #all: readonly Connection[]
  readonly #isPatient: boolean

  private constructor(target: Target, connections: readonly Connection[], isPatient: boolean) {
    this.#target = target
    this.#requests = requestsOf(target, jsonCall)
    this.#isPatient = isPatient
    this.#all = connections
    this.#idle.push(...connections)
  }

  /**
   * @param isPatient whether each connection waits as long as `retry-after-ms` of a rejection states, like the official
   *   clients. Requests that are due while all connections wait count as unsent
   */
  static async open(target: Target, count: number, isPatient = false): Promise<Arrivals> {
    const connections: Connection[] = []
    while (connections.length < count) {
      const some = Array.from({ length: Math.min(openedTogether, count - connections.length) }, () =>
        Connection.open(addressOf(target)),
      )
      // oxlint-disable-next-line no-await-in-loop -- few connections may wait to be accepted
      connections.push(...(await Promise.all(some)))
    }
    return new Arrivals(target, connections, isPatient)
  }

  arrive(dueMs: number, onEnd: () => void = () => {}): void {
    // The server may have closed a connection while it was idle.
    let connection = this.#idle.pop()
    while (connection?.socket.destroyed === true) connection = this.#idle.pop()
    if (connection === undefined) {
      this.unsent += 1
      onEnd()
      return
    }
    const request = this.#requests[this.#next++ % this.#requests.length]
    assert(request)
    this.#busy += 1
    connection.send(request, (status, retryAfterMs) => {
      this.#busy -= 1
      const tookMs = performance.now() - dueMs
      if (status === 200) {
        this.admittedMs.push(tookMs)
        this.#target.answered.calls += 1
      } else if (status === 503 || status === 529) this.refusedMs.push(tookMs)
      else this.failed += 1
      if (status !== null) this.#freeAfter(connection, this.#isPatient ? retryAfterMs : 0)
      onEnd()
    })
  }

  #freeAfter(connection: Connection, waitMs: number): void {
    if (waitMs === 0) this.#idle.push(connection)
    else setTimeout(() => this.#idle.push(connection), waitMs).unref()
  }

  /** @returns the duration; Infinity if the request was not successful */
  one(): Promise<number> {
    const admitted = this.admittedMs.length
    return new Promise((resolve) => {
      this.arrive(performance.now(), () =>
        resolve(this.admittedMs.length > admitted ? (this.admittedMs.at(-1) ?? Infinity) : Infinity),
      )
    })
  }

  /** Waits for the last responses, for at most `endMs`. Requests that then have no response count as failed. */
  async ended(): Promise<void> {
    const untilMs = performance.now() + endMs
    while (this.#busy > 0 && performance.now() < untilMs) await wait(tickMs)
    for (const { socket } of this.#all) socket.destroy()
    while (this.#busy > 0) await wait(tickMs)
  }
}

const openedTogether = 100

/** Receives the status, or null if the connection was closed before the response, and the header `retry-after-ms`. */
type Done = (status: number | null, retryAfterMs: number) => void

class Connection {
  readonly socket: Socket
  readonly #answer = new AnswerReader(null)
  #done: Done | null = null

  private constructor(socket: Socket) {
    this.socket = socket
    this.socket.on('data', (bytes: Buffer) => {
      // After ten seconds without a request, the server sends a 408 without Content-Length and closes the connection.
      if (this.#done === null || bytes.includes('HTTP/1.1 408 ')) this.socket.destroy()
      else if (this.#answer.push(bytes)) this.#end(this.#answer.status, this.#answer.retryAfterMs)
    })
    this.socket.on('error', () => {})
    this.socket.on('close', () => this.#end(null, 0))
  }

  static open(address: { readonly host: string; readonly port: number }): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ ...address, noDelay: true })
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new Connection(socket))
      })
    })
  }

  send(request: Buffer, done: Done): void {
    this.#answer.reset()
    this.#done = done
    this.socket.write(request)
  }

  #end(status: number | null, retryAfterMs: number): void {
    const done = this.#done
    this.#done = null
    done?.(status, retryAfterMs)
  }
}

/** A stream that lasts longer than the measurement. */
export interface OpenStream {
  readonly socket: Socket
  /** False as soon as the stream ends, even if its connection remains open. */
  isOpen: boolean
  /** Returns the longest time without data so far. The provider sends a chunk every second. */
  longestPauseMs(): number
}

/** @throws if a request is rejected */
export async function openStreams(target: Target, count: number): Promise<readonly OpenStream[]> {
  const requests = requestsOf(target, heldStream)
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const connection = await Connection.open(addressOf(target))
      return openStream(connection, requests[at % requests.length] ?? assert.fail())
    }),
  )
}

function openStream(connection: Connection, request: Buffer): Promise<OpenStream> {
  const { socket } = connection
  return new Promise((resolve, reject) => {
    let lastMs = performance.now()
    let longestMs = 0
    const longestPauseMs = (): number => Math.max(longestMs, performance.now() - lastMs)
    const stream: OpenStream = { socket, isOpen: true, longestPauseMs }
    connection.send(request, (status) => {
      stream.isOpen = false
      reject(new Error(`a stream ended at its beginning, with status ${status ?? 'none'}`))
    })
    socket.once('data', () => resolve(stream))
    socket.on('data', () => {
      longestMs = longestPauseMs()
      lastMs = performance.now()
    })
  })
}

function addressOf({ url }: Target): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) }
}
