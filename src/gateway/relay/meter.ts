import type { AnswerStream } from '#wire/stream/answer-stream.ts'
import { leftToExtend, likelyOutput, meterVerdict } from '#money/meter-verdict.ts'
import { withoutOutput, zeroUsage, type Usage } from '#money/usage.ts'
import type { Call, Reserved } from '#gateway/open-call.ts'
import type { Used } from '#gateway/end/call-end.ts'

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
  #isOver = false

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
    const { outputTokens: output, outputTokensSure: outputSure } = this.#stream
    const upstreamOutputMax = this.#reserved.maximum.told
    return { ...this.#countedInput(), output: likelyOutput({ output, outputSure, upstreamOutputMax }) }
  }

  /** As the provider has told it, on wires where that comes first; else as we count it. */
  #countedInput(): Usage {
    const told = this.#stream.inputUsage ?? null
    if (told === null) return { ...zeroUsage, input: this.#inputTokens }
    return withoutOutput(told)
  }

  /**
   * Once the stream is over: holds for what is to be charged of it, as far as there is room and no maximum
   * was set. A burst may have ended before the hold had grown, and thoughts that were not shown come to
   * light with the usage.
   */
  async catchUp(used: Used | null): Promise<void> {
    this.#isOver = true
    if (this.#extending) await this.#extending
    const missing = used ? used.usage.output - this.#reserved.hold.bound.outputTokens : 0
    if (missing > 0) await this.#extend(missing)
  }

  #check(): void {
    if (this.#extending || this.#isOver) return
    const { outputTokens: output, outputTokensSure: outputSure } = this.#stream
    const { hold, maximum } = this.#reserved
    const verdict = meterVerdict({
      hold,
      counted: { ...this.#countedInput(), output },
      outputSure,
      upstreamOutputMax: maximum.told,
      isExtendable: this.#isExtendable,
    })
    if (verdict === 'extend') {
      this.#extending = this.#extend(extensionTokens).finally(() => {
        this.#extending = null
        this.#check()
      })
    } else if (verdict === 'abort') this.#onSpent()
  }

  async #extend(tokens: number): Promise<void> {
    const { ledger, clock } = this.#call.ports
    const { hold, maximum } = this.#reserved
    const moreOutputTokens = Math.min(tokens, leftToExtend(hold, maximum.told))
    if (moreOutputTokens === 0) return
    try {
      const result = await ledger.extend({ callId: this.#call.id, nowMs: clock.nowMs(), moreOutputTokens })
      if (result.kind === 'no_room') {
        this.#isExtendable = false
        return
      }
      const { addedOutputTokens, worstMicros, worstCredits, legs } = result
      const bound = { ...hold.bound, outputTokens: hold.bound.outputTokens + addedOutputTokens }
      this.#reserved.hold = { ...hold, bound, worstMicros, worstCredits, legs }
    } catch {
      // A store that is away cannot hold more; the hold as it is stays the ceiling.
      this.#isExtendable = false
    }
  }
}
