/**
 * Generates load in an open loop: requests are sent at a fixed rate, whether or not earlier requests have ended. A
 * closed loop slows down with its server, so it never shows an overload. Latency counts from the time at which a
 * request was due.
 */
import assert from 'node:assert/strict'
import { Agent, get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { AnswerReader } from './response-reader.ts'
import { requestsOf } from './load.ts'
import { measureWindow } from './measure.ts'
import { heldStream } from './memory.ts'
import { residentBytes } from './process-figures.ts'
import { percentile, rounded } from './statistics.ts'
import { jsonCall, type Target } from './target.ts'

/** The figures of one rate of arrivals. Times are in milliseconds. If nothing was observed, a time is null. */
export interface OverloadFigures {
  /** The rate, as a multiple of the measured capacity. */
  readonly multiple: number
  readonly arrivalsPerSecond: number
  /** Successful responses per second. */
  readonly goodputPerSecond: number
  readonly admittedP99Ms: number | null
  readonly refused: number
  readonly refusedP99Ms: number | null
  readonly healthP99Ms: number | null
  /** Responses with other statuses, and connections that were closed before the end of a response. */
  readonly failed: number
  /** Requests that were not sent in time, because all connections of the load driver were busy. */
  readonly unsent: number
  /** Streams that were open before the first request and ended during the measurement. */
  readonly streamsCut: number
  /** Highest resident memory, minus the resident memory before the first request. */
  readonly residentGrowthBytes: number
}

export interface Overload {
  /** Calls per second that a closed loop reaches. */
  readonly capacityPerSecond: number
  readonly rates: readonly OverloadFigures[]
}

export interface OverloadPlan {
  readonly multiples: readonly number[]
  /** Duration of the load at each rate. */
  readonly windowMs: number
  /** Duration without load before each rate. */
  readonly restMs: number
  readonly streams: number
  /**
   * Number of connections of the load driver, without the streams. It is larger than the number of requests that the
   * server runs and queues.
   */
  readonly connections: number
}

/** @param healthUrl URL of `/health` */
export async function measureOverload(
  target: Target,
  healthUrl: string,
  plan: OverloadPlan & { readonly capacityConnections: number; readonly settleMs: number },
): Promise<Overload> {
  const { capacityConnections, multiples, settleMs, windowMs } = plan
  const timing = { connections: capacityConnections, staggerMs: 0, settleMs, windowMs }
  const { callsPerSecond } = await measureWindow({ target, scenario: jsonCall, ...timing })
  const rates: OverloadFigures[] = []
  for (const multiple of multiples) {
    await wait(plan.restMs)
    rates.push(
      await measureRate(target, healthUrl, { ...plan, multiple, perSecond: callsPerSecond * multiple }),
    )
  }
  return { capacityPerSecond: rounded(callsPerSecond), rates }
}

interface Rate extends OverloadPlan {
  readonly multiple: number
  readonly perSecond: number
}

async function measureRate(
  target: Target,
  healthUrl: string,
  { connections, multiple, perSecond, streams, windowMs }: Rate,
): Promise<OverloadFigures> {
  const { pid } = target
  assert(pid !== null)
  const open = await openStreams(target, streams)
  const arrivals = await Arrivals.open(target, connections)
  const before = residentBytes(pid)
  let resident = before
  const health = new HealthWatch(healthUrl)
  const startedMs = performance.now()
  let due = 0
  for (let elapsedMs = 0; elapsedMs < windowMs; elapsedMs = performance.now() - startedMs) {
    for (const until = (elapsedMs * perSecond) / 1000; due < until; due++)
      arrivals.arrive(startedMs + (due * 1000) / perSecond)
    resident = Math.max(resident, residentBytes(pid))
    await wait(tickMs)
  }
  const seconds = (performance.now() - startedMs) / 1000
  const goodput = arrivals.admittedMs.length / seconds
  await arrivals.ended()
  resident = Math.max(resident, residentBytes(pid))
  const streamsCut = open.filter(({ socket }) => socket.destroyed).length
  for (const { socket } of open) socket.destroy()
  return {
    multiple,
    arrivalsPerSecond: rounded(perSecond),
    goodputPerSecond: rounded(goodput),
    admittedP99Ms: p99(arrivals.admittedMs),
    refused: arrivals.refusedMs.length,
    refusedP99Ms: p99(arrivals.refusedMs),
    healthP99Ms: p99(await health.ended()),
    failed: arrivals.failed,
    unsent: arrivals.unsent,
    streamsCut,
    residentGrowthBytes: resident - before,
  }
}

/** This is shorter than a turn of the event loop under load, so that requests are not sent in bursts. */
const tickMs = 2

/** Maximum time to wait for the last responses. */
const endMs = 10_000

function p99(values: readonly number[]): number | null {
  return values.length === 0 ? null : rounded(percentile(values, 99))
}

/**
 * Sends requests on connections that were opened before. With new connections, the benchmark would mostly measure the
 * kernel, which lets only few connections wait and rejects the others for a second.
 */
class Arrivals {
  readonly admittedMs: number[] = []
  readonly refusedMs: number[] = []
  failed = 0
  unsent = 0
  readonly #requests: readonly Buffer[]
  readonly #idle: Connection[] = []
  #busy = 0
  #next = 0

  readonly #all: readonly Connection[]

  private constructor(target: Target, connections: readonly Connection[]) {
    this.#requests = requestsOf(target, jsonCall)
    this.#all = connections
    this.#idle.push(...connections)
  }

  static async open(target: Target, count: number): Promise<Arrivals> {
    const connections: Connection[] = []
    while (connections.length < count) {
      const some = Array.from({ length: Math.min(openedTogether, count - connections.length) }, () =>
        Connection.open(addressOf(target)),
      )
      // oxlint-disable-next-line no-await-in-loop -- few connections may wait to be accepted
      connections.push(...(await Promise.all(some)))
    }
    return new Arrivals(target, connections)
  }

  arrive(dueMs: number): void {
    // The server may have closed a connection while it was idle.
    let connection = this.#idle.pop()
    while (connection?.socket.destroyed === true) connection = this.#idle.pop()
    if (connection === undefined) {
      this.unsent += 1
      return
    }
    const request = this.#requests[this.#next++ % this.#requests.length]
    assert(request)
    this.#busy += 1
    connection.send(request, (status) => {
      this.#busy -= 1
      const tookMs = performance.now() - dueMs
      if (status === 200) this.admittedMs.push(tookMs)
      else if (status === 503 || status === 529) this.refusedMs.push(tookMs)
      else this.failed += 1
      if (status !== null) this.#idle.push(connection)
    })
  }

  /** Waits for the last responses. Requests without a response have failed. */
  async ended(): Promise<void> {
    const untilMs = performance.now() + endMs
    while (this.#busy > 0 && performance.now() < untilMs) await wait(tickMs)
    for (const { socket } of this.#all) socket.destroy()
    while (this.#busy > 0) await wait(tickMs)
  }
}

const openedTogether = 100

class Connection {
  readonly socket: Socket
  readonly #answer = new AnswerReader(null)
  #done: ((status: number | null) => void) | null = null

  private constructor(socket: Socket) {
    this.socket = socket
    this.socket.on('data', (bytes: Buffer) => {
      if (this.#answer.push(bytes)) this.#end(this.#answer.status)
    })
    this.socket.on('error', () => {})
    this.socket.on('close', () => this.#end(null))
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

  /** @param done receives the status, or null if the connection was closed before the response */
  send(request: Buffer, done: (status: number | null) => void): void {
    this.#answer.reset()
    this.#done = done
    this.socket.write(request)
  }

  #end(status: number | null): void {
    const done = this.#done
    this.#done = null
    done?.(status)
  }
}

/** Opens streams that last longer than the measurement, and waits for the first bytes of each. */
async function openStreams(target: Target, count: number): Promise<Connection[]> {
  const requests = requestsOf(target, heldStream)
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const stream = await Connection.open(addressOf(target))
      const began = new Promise<void>((resolve, reject) => {
        stream.socket.once('data', () => resolve())
        stream.socket.once('close', () => reject(new Error('a stream did not begin')))
      })
      stream.send(requests[at % requests.length] ?? assert.fail(), () => {})
      await began
      return stream
    }),
  )
}

function addressOf({ url }: Target): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) }
}

/** Requests `/health` again and again, as a supervisor does, and records how long each response takes. */
class HealthWatch {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #seenMs: number[] = []
  readonly #watching: Promise<void>
  #isEnding = false

  constructor(url: string) {
    this.#watching = this.#watch(url)
  }

  async ended(): Promise<readonly number[]> {
    this.#isEnding = true
    await this.#watching
    this.#agent.destroy()
    return this.#seenMs
  }

  async #watch(url: string): Promise<void> {
    while (!this.#isEnding) {
      const sentMs = performance.now()
      await this.#read(url)
      this.#seenMs.push(performance.now() - sentMs)
      await wait(healthEveryMs)
    }
  }

  #read(url: string): Promise<void> {
    return new Promise((resolve, reject) => {
      get(url, { agent: this.#agent }, (response) => {
        response.resume().once('end', () => {
          if (response.statusCode === 200) resolve()
          else reject(new Error(`/health answered ${response.statusCode}`))
        })
      }).once('error', reject)
    })
  }
}

const healthEveryMs = 20
