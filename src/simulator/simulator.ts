import type {
  Cleaner,
  Upstream,
  UpstreamCall,
  UpstreamRequest,
  UpstreamSink,
} from '#domain/provider-upstream-interface.ts'
import type { CallClock, DeadlineSweep } from '#domain/calls/deadline-sweep.ts'
import { KeptResponses } from './responses-in-memory.ts'
import { script } from './steps-of-simulated-provider.ts'
import type { Step } from './simulated-call-types.ts'

/**
 * A model provider in the same process, for test keys and for accounts of the kind `simulator`. It costs nothing, sends
 * no data anywhere, and stores responses only in memory. It checks requests as strictly as the vendors do, and produces
 * faults on request (directives-in-prompts.ts). Deadlines, backpressure and aborts work as for a provider on the
 * network.
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
  const kept = new KeptResponses(nowMs)
  return {
    send(request, sink) {
      const { wire } = request
      // Clients cannot send requests in these formats, and requests to the simulator are never converted.
      if (wire === 'predict' || wire === 'invoke_prompt') throw new Error(`the simulator has no ${wire}`)
      const body = Buffer.from(request.body, 'latin1')
      const steps = script({ ...request, wire, body, createdSeconds: Math.floor(nowMs() / 1000) }, kept)
      return new Playback(request, sink, steps, sweep)
    },
    cleaner: () => cleaner,
  }
}

/** After this many chunks without a delay, other work of the process can run. */
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
    // The response is paused only after `onData` returns, so an earlier resume would have no effect.
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
      // An exception of the sink ends only this call, as with a provider on the network.
      this.#fail(cause)
    }
  }

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
          const { kind: _, status, ...headers } = step
          this.#clock.touch()
          this.#sink.onHead(status, headers)
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
          return this.#fail(new Error('the simulator broke the connection, as the directive requests'))
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
