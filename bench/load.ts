/**
 * A closed loop over kept-alive connections: each sends its next call when its answer is whole. Raw
 * sockets and requests made beforehand, so that the driver takes little of the two cores it shares with
 * what it measures. Every answer is checked: status, length and number of events must be those of the
 * first one, which was read and understood (`learnAnswer`). One wrong answer ends the run.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { AnswerReader } from './answer-reader.ts'
import { callBody } from './target.ts'
import type { Scenario, Target } from './target.ts'

/** What a window of time saw, in the order in which answers ended. */
export interface Observation {
  calls: number
  events: number
  latenciesMs: number[]
  /** From the call's first byte out to the first byte of the answer's body in. */
  firstByteMs: number[]
}

export interface LoadOptions {
  readonly target: Target
  readonly scenario: Scenario
  readonly connections: number
  /** Between the first calls of two connections: streams that start together would stay in step. */
  readonly staggerMs: number
}

export class Load {
  readonly #options: LoadOptions
  readonly #expectedBytes: number
  readonly #requests: readonly Buffer[]
  readonly #connections: Connection[] = []
  #next = 0
  #observation = emptyObservation()
  #isEnding = false
  #fault: Error | null = null

  private constructor(options: LoadOptions, expectedBytes: number) {
    this.#options = options
    this.#expectedBytes = expectedBytes
    this.#requests = requestsOf(options.target, options.scenario)
  }

  /** Opens every connection and starts calling. */
  static async open(options: LoadOptions): Promise<Load> {
    const { target, scenario } = options
    const load = new Load(options, scenario.isEndless ? Number.NaN : await learnAnswer(target, scenario))
    for (let i = 0; i < options.connections; i += 1) {
      load.#connections.push(await Connection.open(target.url, load))
      if (options.staggerMs > 0) await new Promise((resolve) => setTimeout(resolve, options.staggerMs))
      load.#throwFault()
      load.#connections[i]?.send(load.nextRequest())
    }
    return load
  }

  /** Starts a window: what was seen before is forgotten. */
  begin(): void {
    this.#observation = emptyObservation()
  }

  /** Ends the window; calling goes on. */
  end(): Observation {
    this.#throwFault()
    return this.#observation
  }

  /** Lets the calls under way finish, then closes. */
  async close(): Promise<void> {
    this.#isEnding = true
    await Promise.all(this.#connections.map((connection) => connection.idle()))
    this.abandon()
    this.#throwFault()
  }

  /** Closes at once; streams are cut. */
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

  /** @returns the next request, or null when the run is ending */
  sawAnswer(answer: AnswerReader, elapsedMs: number): Buffer | null {
    const { scenario, target } = this.#options
    if (
      answer.status !== 200 ||
      answer.events !== scenario.events ||
      answer.bodyBytes !== this.#expectedBytes
    ) {
      const { status, events, bodyBytes } = answer
      this.fail(
        new Error(
          `a wrong answer for ${scenario.upstreamModel}: status ${status}, ${bodyBytes} bytes ` +
            `(expected ${this.#expectedBytes}), ${events} events (expected ${scenario.events})`,
        ),
      )
      return null
    }
    target.answered.calls += 1
    this.#observation.calls += 1
    this.#observation.latenciesMs.push(elapsedMs)
    return this.#isEnding ? null : this.nextRequest()
  }

  fail(fault: Error): void {
    this.#fault ??= fault
    this.abandon()
  }

  #throwFault(): void {
    if (this.#fault) throw new Error(`load on ${this.#options.target.name}`, { cause: this.#fault })
  }
}

class Connection {
  readonly #socket: Socket
  readonly #load: Load
  readonly #answer = new AnswerReader()
  #sentAtMs = 0
  #isBusy = false
  #whenIdle: (() => void) | null = null

  private constructor(socket: Socket, load: Load) {
    this.#socket = socket
    this.#load = load
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => this.#receive(bytes))
    socket.on('error', (fault) => load.fail(fault))
    socket.on('close', () => {
      if (this.#isBusy) load.fail(new Error('the connection closed before the answer was whole'))
      this.#rest()
    })
  }

  static open(url: string, load: Load): Promise<Connection> {
    const { hostname, port } = new URL(url)
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) })
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new Connection(socket, load))
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

/**
 * Makes one call with `fetch`, reads the answer as a client would, and returns its length in bytes: the
 * load driver counts only, so somebody has to look once.
 */
async function learnAnswer(target: Target, scenario: Scenario): Promise<number> {
  const model = target.modelName(scenario)
  const response = await fetch(`${target.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${target.keys[0] ?? ''}` },
    body: callBody(model, scenario),
  })
  const text = await response.text()
  const shown = `${target.name} answered ${response.status}: ${text.slice(0, 400)}`
  assert.equal(response.status, 200, shown)
  const events = text.split('\n\n').slice(0, -1)
  assert.equal(scenario.isStream ? events.length : 0, scenario.events, shown)
  if (scenario.isStream) {
    assert.equal(events.at(-1), 'data: [DONE]', shown)
    const contents = events.filter((event) => event.includes('"content":" token"'))
    assert.equal(contents.length, scenario.events - 4, shown)
  }
  const carriesUsage = scenario.isStream ? events.at(-2) : text
  assert(carriesUsage?.includes('"prompt_tokens":96'), shown)
  assert(text.includes(JSON.stringify(model)), shown)
  target.answered.calls += 1
  return Buffer.byteLength(text)
}

function requestsOf(target: Target, scenario: Scenario): Buffer[] {
  const body = callBody(target.modelName(scenario), scenario)
  const { host } = new URL(target.url)
  return target.keys.map((key) =>
    Buffer.from(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n` +
        'accept: application/json\r\ncontent-type: application/json\r\nuser-agent: bench/1.0\r\n' +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  )
}

function emptyObservation(): Observation {
  return { calls: 0, events: 0, latenciesMs: [], firstByteMs: [] }
}
