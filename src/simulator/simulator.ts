import type { Cleaner, Upstream, UpstreamCall, UpstreamRequest, UpstreamSink } from '#domain/upstream.ts'
import type { CallClock, DeadlineSweep } from '#domain/deadline-sweep.ts'
import { KeptResponses } from './stored-responses.ts'
import { script, type Step } from './script.ts'

/**
 * A model provider in the same process. It serves test keys and accounts of kind `simulator` on each of the four wires,
 * and produces faults on request (directives.ts). It costs nothing and sends no data anywhere. It checks requests as
 * strictly as the vendors do. Its deadlines, backpressure and aborts are those of a provider across the network, so
 * that code that works with it also works with a real provider. It stores responses in memory, like OpenAI.
 *
 * @param nowMs wall clock, for the `created` field of responses
 * @param cleaner the cleaner of an account without a key and an address
 */
export function simulator({
  sweep,
  nowMs,
  cleaner,
}: {
  sweep: DeadlineSweep
  nowMs: () => number
  cleaner: Cleaner
}): Upstream {
  const kept = new KeptResponses()
  return {
    send(request, sink) {
      const steps = script({ ...request, createdSeconds: Math.floor(nowMs() / 1000) }, kept)
      return new Playback(request, sink, steps, sweep)
    },
    cleaner: () => cleaner,
  }
}

/** Number of chunks without a delay that are sent before the process turns to other work. */
const burst = 32

class Playback implements UpstreamCall {
  readonly #sink: UpstreamSink
  readonly #steps: Iterator<Step>
  readonly #clock: CallClock
  #timer: NodeJS.Timeout | null = null
  #turn: NodeJS.Immediate | null = null
  #isPaused = false
  #isOver = false

  constructor(
    { deadlines }: UpstreamRequest,
    sink: UpstreamSink,
    steps: Iterator<Step>,
    sweep: DeadlineSweep,
  ) {
    this.#sink = sink
    this.#steps = steps
    this.#clock = sweep.watch(deadlines, (phase, timeoutMs) => {
      this.abort()
      const cause = new Error(`the simulator sent nothing for ${timeoutMs} ms`)
      sink.onFailure({ phase, isTimeout: true, cause })
    })
    this.#clock.awaitFirstByte()
    this.#turn = setImmediate(this.#play)
  }

  resume(): void {
    // Deferred, because inside `onData` the pause that this call ends has not begun yet.
    queueMicrotask(() => {
      if (!this.#isPaused || this.#isOver) return
      this.#isPaused = false
      this.#clock.resume()
      this.#turn = setImmediate(this.#play)
    })
  }

  answering(): void {
    this.#clock.answering()
  }

  abort(): void {
    this.#isOver = true
    this.#clock.stop()
    if (this.#timer) clearTimeout(this.#timer)
    if (this.#turn) clearImmediate(this.#turn)
  }

  readonly #play = (): void => {
    this.#timer = null
    this.#turn = null
    try {
      this.#takeSteps()
    } catch (cause) {
      // A sink that throws ends only its own call and not the process, as with a provider across the network.
      this.#fail(cause)
    }
  }

  /** Takes steps until a step waits, the sink is full, or other work should run. */
  #takeSteps(): void {
    for (let sent = 0; !this.#isPaused && !this.#isOver;) {
      if (sent === burst) {
        this.#turn = setImmediate(this.#play)
        return
      }
      const next = this.#steps.next()
      if (next.done === true) {
        this.abort()
        return this.#sink.onEnd()
      }
      const step = next.value
      switch (step.kind) {
        case 'head': {
          const { status, contentType, retryAfterSeconds } = step
          this.#clock.touch()
          this.#sink.onHead(status, { contentType, retryAfterSeconds })
          break
        }
        case 'bytes':
          sent++
          this.#clock.touch()
          if (!this.#sink.onData(step.bytes)) this.#pause()
          break
        case 'wait':
          if (step.ms === 0) break
          this.#timer = setTimeout(this.#play, step.ms)
          return
        case 'hang':
          return
        case 'cut':
          return this.#fail(new Error('the simulator cut the connection, as it was told to'))
      }
    }
  }

  #fail(cause: unknown): void {
    this.abort()
    this.#sink.onFailure({ phase: 'reset', isTimeout: false, cause })
  }

  #pause(): void {
    this.#isPaused = true
    this.#clock.pause()
  }
}
