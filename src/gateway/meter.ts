import type { AnswerStream } from '#wire/answer.ts'
import { progress } from '#money/progress.ts'
import type { Usage } from '#money/usage.ts'
import { ZERO_USAGE } from '#money/usage.ts'
import type { Call, Reserved } from './open-call.ts'

/** The contract: spend is looked at every 16 chunks and every 250 ms. */
const chunksPerCheck = 16
const msPerCheck = 250
/** What a crash may lose of a stream's count. */
const msPerCheckpoint = 2_000
/** How much more is held for an answer that outgrows its first estimate. */
const extensionTokens = 4_096

/**
 * Watches what a stream has cost so far. It may ask for more to be held, and says when the stream must
 * be cut. Looked at when chunks come, since a stream that is silent spends nothing.
 */
export class Meter {
  readonly #call: Call
  readonly #reserved: Reserved
  readonly #stream: AnswerStream
  readonly #inputTokens: number
  /** Spend has reached its ceiling, and nothing more can be held. */
  readonly #onSpent: () => void
  #chunksChecked = 0
  #checkedAtMs: number
  #checkpointAtMs: number
  #extending: Promise<void> | null = null
  #isExtendable = true

  constructor(
    call: Call,
    reserved: Reserved,
    stream: AnswerStream,
    inputTokens: number,
    onSpent: () => void,
  ) {
    this.#call = call
    this.#reserved = reserved
    this.#stream = stream
    this.#inputTokens = inputTokens
    this.#onSpent = onSpent
    this.#checkedAtMs = call.startedMonotonicMs
    this.#checkpointAtMs = call.startedMonotonicMs
  }

  /** After each piece from the provider. */
  onData(): void {
    const nowMs = this.#call.ports.clock.monotonicMs()
    const { textChunks } = this.#stream
    if (textChunks - this.#chunksChecked >= chunksPerCheck || nowMs - this.#checkedAtMs >= msPerCheck) {
      this.#chunksChecked = textChunks
      this.#checkedAtMs = nowMs
      this.#check()
    }
    if (nowMs - this.#checkpointAtMs >= msPerCheckpoint) {
      this.#checkpointAtMs = nowMs
      this.#call.ports.ledger.checkpoint({ callId: this.#call.id, usage: this.counted() })
    }
  }

  /** Our own count of the call so far; what it costs when the provider never says. */
  counted(): Usage {
    return {
      ...this.#countedInput(),
      output: countedOutput(this.#stream, this.#reserved.upstreamOutputMax),
    }
  }

  /** As the provider has told it, on wires where that comes first; else as we count it. */
  #countedInput(): Usage {
    const told = this.#stream.inputUsage ?? null
    if (told === null) return { ...ZERO_USAGE, input: this.#inputTokens }
    return { ...told, output: 0, reasoning: 0, audioOutput: 0, imageOutput: 0, webSearches: 0 }
  }

  /**
   * Once the stream is over: holds for what was counted of it, as far as there is room. A burst may
   * have ended before the hold had grown, and what it was not held for could not be charged.
   */
  async catchUp(): Promise<void> {
    this.#check()
    // oxlint-disable-next-line no-await-in-loop -- each extension decides whether there is another
    while (this.#extending) await this.#extending
  }

  #check(): void {
    if (this.#extending) return
    const { upstreamOutputMax } = this.#reserved
    // What counts against a maximum that the provider was given is evidence that it passed it.
    const output = upstreamOutputMax === null ? this.#stream.outputTokens : this.#stream.outputTokensSure
    const verdict = progress({
      hold: this.#reserved.hold,
      counted: { ...this.#countedInput(), output },
      upstreamOutputMax,
      isExtendable: this.#isExtendable,
    })
    if (verdict === 'extend') {
      this.#extending = this.#extend().finally(() => {
        this.#extending = null
        this.#check()
      })
    } else if (verdict === 'abort') this.#onSpent()
  }

  async #extend(): Promise<void> {
    const { ledger, clock } = this.#call.ports
    try {
      const result = await ledger.extend({
        callId: this.#call.id,
        nowMs: clock.nowMs(),
        moreOutputTokens: extensionTokens,
      })
      if (result.kind === 'no_room') this.#isExtendable = false
      else
        this.#reserved.hold = {
          ...this.#reserved.hold,
          worstMicros: result.worstMicros,
          worstCredits: result.worstCredits,
          legs: result.legs,
        }
    } catch {
      // A store that is away cannot hold more; the hold as it is stays the ceiling.
      this.#isExtendable = false
    }
  }
}

/**
 * What came out, for a charge without the provider's word. The count leans high; but a provider that
 * was given a maximum did not pass it unless there is sure evidence that it did.
 */
function countedOutput(stream: AnswerStream, upstreamOutputMax: number | null): number {
  if (upstreamOutputMax === null) return stream.outputTokens
  return Math.min(stream.outputTokens, Math.max(upstreamOutputMax, stream.outputTokensSure))
}
