/**
 * Generates load in a closed loop: each connection sends its next call when the previous response is complete. The
 * driver uses raw sockets and prepared requests, because it shares two cores with the server under test. The content of
 * the first response is checked. Every further response must have its status, length and number of events, and a single
 * wrong response ends the run.
 */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { AnswerReader } from './read-http-responses.ts'
import { callBody, wireFor, type Scenario, type Target } from './targets-and-scenarios.ts'

/** In the order in which responses ended. */
export interface Observation {
  calls: number
  events: number
  latenciesMs: number[]
  /** From the first sent byte of the call to the first received byte of the response's body. */
  firstByteMs: number[]
}

export interface LoadOptions {
  readonly target: Target
  readonly scenario: Scenario
  readonly connections: number
  /**
   * Time between the first calls of two connections. If streams started together, their chunks would keep arriving at
   * the same times.
   */
  readonly staggerMs: number
}

export class Load {
  readonly #options: LoadOptions
  readonly #expected: Learnt
  readonly #requests: readonly Buffer[]
  readonly #connections: Connection[] = []
  #next = 0
  #observation = emptyObservation()
  #isEnding = false
  #isLastPass = false
  #fault: Error | null = null

  private constructor(options: LoadOptions, expected: Learnt) {
    this.#options = options
    this.#expected = expected
    this.#requests = requestsOf(options.target, options.scenario)
  }

  static async open(options: LoadOptions): Promise<Load> {
    const { target, scenario } = options
    const load = new Load(options, scenario.isEndless ? endless : await learnAnswer(target, scenario))
    for (let i = 0; i < options.connections; i += 1) {
      load.#connections.push(await Connection.open(target.url, load, wireFor(target, scenario).blank))
      if (options.staggerMs > 0) await new Promise((resolve) => setTimeout(resolve, options.staggerMs))
      load.#throwFault()
      load.#connections[i]?.send(load.nextRequest())
    }
    return load
  }

  begin(): void {
    this.#observation = emptyObservation()
  }

  /** Ends the time window. The connections continue to send calls. */
  end(): Observation {
    this.#throwFault()
    return this.#observation
  }

  async close(): Promise<void> {
    this.#isEnding = true
    await this.#closeWhenIdle()
  }

  /**
   * Continues to send calls until all end users have made the same number of calls, and then closes the connections.
   */
  async closeAfterPass(): Promise<void> {
    this.#isLastPass = true
    await this.#closeWhenIdle()
  }

  abandon(): void {
    this.#isEnding = true
    for (const connection of this.#connections) connection.destroy()
  }

  nextRequest(): Buffer {
    const request = this.#requests[this.#next]
    assert(request)
    this.#next = (this.#next + 1) % this.#requests.length
    return request
  }

  sawFirstByte(elapsedMs: number): void {
    this.#observation.firstByteMs.push(elapsedMs)
  }

  sawEvents(count: number): void {
    this.#observation.events += count
  }

  /** @returns the next request; null if the run is ending */
  sawAnswer(answer: AnswerReader, elapsedMs: number): Buffer | null {
    const { scenario, target } = this.#options
    if (
      answer.status !== 200 ||
      answer.events !== this.#expected.events ||
      answer.bodyBytes !== this.#expected.bytes
    ) {
      const { status, events, bodyBytes } = answer
      this.fail(
        new Error(
          `a wrong answer for ${scenario.upstreamModel}: status ${status}, ${bodyBytes} bytes ` +
            `(expected ${this.#expected.bytes}), ${events} events (expected ${this.#expected.events})`,
        ),
      )
      return null
    }
    target.answered.calls += 1
    this.#observation.calls += 1
    this.#observation.latenciesMs.push(elapsedMs)
    const isOver = this.#isEnding || (this.#isLastPass && this.#next === 0)
    return isOver ? null : this.nextRequest()
  }

  fail(fault: Error): void {
    this.#fault ??= fault
    this.abandon()
  }

  async #closeWhenIdle(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.idle()))
    this.abandon()
    this.#throwFault()
  }

  #throwFault(): void {
    if (this.#fault) throw new Error(`load on ${this.#options.target.name}`, { cause: this.#fault })
  }
}

class Connection {
  readonly #socket: Socket
  readonly #load: Load
  readonly #answer: AnswerReader
  #sentAtMs = 0
  #isBusy = false
  #whenIdle: (() => void) | null = null

  private constructor(socket: Socket, load: Load, blank: string) {
    this.#socket = socket
    this.#load = load
    this.#answer = new AnswerReader(blank)
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => this.#receive(bytes))
    socket.on('error', (fault) => load.fail(fault))
    socket.on('close', () => {
      if (this.#isBusy) load.fail(new Error('the connection closed before the answer was whole'))
      this.#rest()
    })
  }

  static open(url: string, load: Load, blank: string): Promise<Connection> {
    const { hostname, port } = new URL(url)
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) })
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new Connection(socket, load, blank))
      })
    })
  }

  send(request: Buffer): void {
    this.#isBusy = true
    this.#answer.reset()
    this.#sentAtMs = performance.now()
    this.#socket.write(request)
  }

  idle(): Promise<void> {
    if (!this.#isBusy) return Promise.resolve()
    return new Promise((resolve) => {
      this.#whenIdle = resolve
    })
  }

  destroy(): void {
    this.#rest()
    this.#socket.destroy()
  }

  #receive(bytes: Buffer): void {
    const hadBody = this.#answer.bodyBytes > 0
    const eventsBefore = this.#answer.events
    let isWhole: boolean
    try {
      isWhole = this.#answer.push(bytes)
    } catch (fault) {
      this.#load.fail(fault instanceof Error ? fault : new Error(String(fault)))
      return
    }
    const elapsedMs = performance.now() - this.#sentAtMs
    if (!hadBody && this.#answer.bodyBytes > 0) this.#load.sawFirstByte(elapsedMs)
    this.#load.sawEvents(this.#answer.events - eventsBefore)
    if (!isWhole) return
    const request = this.#load.sawAnswer(this.#answer, elapsedMs)
    if (request) this.send(request)
    else this.#rest()
  }

  #rest(): void {
    this.#isBusy = false
    this.#whenIdle?.()
    this.#whenIdle = null
  }
}

interface Learnt {
  readonly bytes: number
  readonly events: number
}

const endless: Learnt = { bytes: Number.NaN, events: Number.NaN }

/** The load driver only counts bytes, so this call checks the content of the response. */
async function learnAnswer(target: Target, scenario: Scenario): Promise<Learnt> {
  const wire = wireFor(target, scenario)
  const model = target.modelName(scenario)
  const response = await fetch(`${target.url}${wire.path(model, scenario.isStream)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${target.keys[0] ?? ''}` },
    body: callBody(target, scenario),
  })
  const text = await response.text()
  const shown = `${target.name} answered ${response.status}: ${text.slice(0, 400)} ... ${text.slice(-400)}`
  assert.equal(response.status, 200, shown)
  const events = scenario.isStream ? text.split(wire.blank).slice(0, -1) : []
  if (scenario.isStream) {
    const written = events.filter((event) => event.includes(wire.textMark))
    assert.equal(written.length, scenario.chunks, shown)
  }
  assert.match(text, wire.usageMark, shown)
  // In chat and messages, many frames contain the model's name. In generate, the field `modelVersion` contains it.
  assert(text.includes(JSON.stringify(model)), shown)
  target.answered.calls += 1
  return { bytes: Buffer.byteLength(text), events: events.length }
}

export function requestsOf(target: Target, scenario: Scenario): Buffer[] {
  const body = callBody(target, scenario)
  const path = wireFor(target, scenario).path(target.modelName(scenario), scenario.isStream)
  const { host } = new URL(target.url)
  const requestOf = (key: string): Buffer =>
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n` +
        'accept: application/json\r\ncontent-type: application/json\r\nuser-agent: bench/1.0\r\n' +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  // A thousand large requests do not fit into memory, so create them for only a few end users.
  return target.keys.slice(0, scenario.imageBytes > 0 ? 8 : undefined).map(requestOf)
}

function emptyObservation(): Observation {
  return { calls: 0, events: 0, latenciesMs: [], firstByteMs: [] }
}
