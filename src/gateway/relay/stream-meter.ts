import type { AnswerStream } from '#wire/stream/answer-stream.ts'
import {
  leftToExtend,
  likelyOutput,
  type MeterVerdict,
  meterVerdict,
  outputBeyond,
} from '#money/meter-verdict.ts'
import { withoutOutput, zeroUsage, type Usage } from '#money/usage.ts'
import type { Pace, Reserved, ReservedCall } from '#gateway/call/call-states.ts'
import { timeOf } from '#gateway/call/caller.ts'
import type { Used } from './call-end.ts'
import type { InputCount } from './count-input.ts'

/** The documented interval: spend is checked every 16 chunks and every 250 ms. */
const chunksPerCheck = 16
const msPerCheck = 250
/** Maximum time between checkpoints, which is the most that a crash may lose of a stream's count. */
const msPerCheckpoint = 2_000
/** Number of additional tokens to hold for a response that exceeds its first estimate. */
const extensionTokens = 4_096

/**
 * Tracks the cost of a stream so far. It requests a larger hold and reports when the stream must be cut. It checks when
 * chunks arrive, because a silent stream spends nothing.
 */
export class Meter {
  readonly #call: ReservedCall
  readonly #reserved: Reserved
  readonly #stream: AnswerStream
  readonly #input: InputCount
  /** Called when the spend has reached its limit and no more money can be held. */
  readonly #onSpent: () => void
  #chunksChecked = 0
  #checkedAtMs: number
  #checkpointAtMs: number
  #firstTokenAtMs: number | null = null
  #dataAtMs: number | null = null
  #longestGapMs = 0
  #extending: Promise<void> | null = null
  #isCounting = false
  #isExtendable = true
  #isOver = false

  constructor(call: ReservedCall, stream: AnswerStream, input: InputCount, onSpent: () => void) {
    this.#call = call
    this.#reserved = call.reserved
    this.#stream = stream
    this.#input = input
    this.#onSpent = onSpent
    this.#checkedAtMs = call.startedMonotonicMs
    this.#checkpointAtMs = call.startedMonotonicMs
  }

  /** Called after each piece from the provider. */
  onData(): void {
    const nowMs = this.#call.ports.clock.monotonicMs()
    const { textChunks } = this.#stream
    if (this.#dataAtMs !== null && nowMs - this.#dataAtMs > this.#longestGapMs)
      this.#longestGapMs = nowMs - this.#dataAtMs
    this.#dataAtMs = nowMs
    if (this.#firstTokenAtMs === null && textChunks > 0) this.#firstTokenAtMs = nowMs
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

  /** Returns the timing of the response so far. */
  paceOf(bytes: number): Pace | null {
    if (this.#dataAtMs === null) return null
    const { startedMonotonicMs } = this.#call
    const since = (atMs: number): number => Math.round(atMs - startedMonotonicMs)
    return {
      firstTokenMs: this.#firstTokenAtMs === null ? null : since(this.#firstTokenAtMs),
      lastTokenMs: this.#firstTokenAtMs === null ? null : since(this.#dataAtMs),
      longestGapMs: Math.round(this.#longestGapMs),
      bytes,
    }
  }

  /** Returns the gateway's own count so far. Its cost is charged if the provider never reports usage. */
  counted(): Usage {
    const { outputTokens: output, outputTokensSure: outputSure } = this.#stream
    const upstreamOutputMax = this.#reserved.maximum.told
    const counts = { output, outputSure, upstreamOutputMax }
    const beyond = outputBeyond(counts)
    return {
      ...this.#countedInput(),
      output: likelyOutput(counts),
      ...(beyond > 0 && { outputBeyond: beyond }),
    }
  }

  /** Returns the input as the provider reports it, on wires that report it first. Otherwise returns our own count. */
  #countedInput(): Usage {
    const told = this.#stream.inputUsage ?? null
    if (told === null || told.lacks === 'input') return { ...zeroUsage, input: this.#input.tokens }
    const { lacks: _, ...usage } = withoutOutput(told)
    return usage
  }

  /** Whether the provider has reported no input so far. */
  get isInputOurs(): boolean {
    const told = this.#stream.inputUsage ?? null
    return told === null || told.lacks === 'input'
  }

  /**
   * Extends the hold to the final charge after the stream has ended, as far as there is room and no maximum was set. A
   * burst may have ended before the hold could grow, and hidden reasoning appears only in the usage. Null if the hold is
   * large enough, which is the usual case.
   */
  catchUp(used: Used | null): Promise<void> | null {
    this.#isOver = true
    return this.#extending || this.#missing(used) > 0 ? this.#extendTo(used) : null
  }

  async #extendTo(used: Used | null): Promise<void> {
    if (this.#extending) await this.#extending
    const missing = this.#missing(used)
    if (missing > 0) await this.#extend(missing)
  }

  #missing(used: Used | null): number {
    return used ? used.usage.output - this.#reserved.hold.bound.outputTokens : 0
  }

  #check(): void {
    if (this.#extending || this.#isOver) return
    const verdict = this.#verdictWith(this.#countedInput())
    if (verdict === 'extend') {
      this.#extending = this.#extend(extensionTokens).finally(() => {
        this.#extending = null
        this.#check()
      })
    } else if (verdict === 'abort') this.#cut()
  }

  #verdictWith(input: Usage): MeterVerdict {
    const { outputTokens: output, outputTokensSure: outputSure } = this.#stream
    const { hold, maximum } = this.#reserved
    return meterVerdict({
      hold,
      counted: { ...input, output },
      outputSure,
      upstreamOutputMax: maximum.told,
      isExtendable: this.#isExtendable,
    })
  }

  /**
   * An input estimate that is too high must not end a response early, so the tokenizer counts first. A response whose
   * output alone reaches the limit does not wait for it.
   */
  #cut(): void {
    if (this.#verdictWith(zeroUsage) === 'abort') return this.#onSpent()
    if (this.#isCounting) return
    if (!this.isInputOurs || this.#input.isCounted) return this.#onSpent()
    this.#isCounting = true
    void this.#input.count().finally(() => {
      this.#isCounting = false
      this.#check()
    })
  }

  async #extend(tokens: number): Promise<void> {
    const { caller, id: callId } = this.#call
    const { ledger, clock } = this.#call.ports
    const { hold, maximum } = this.#reserved
    const moreOutputTokens = Math.min(tokens, leftToExtend(hold, maximum.told))
    if (moreOutputTokens === 0) return
    try {
      const nowMs = timeOf(caller, clock.nowMs())
      const result = await ledger.extend({ callId, nowMs, moreOutputTokens })
      if (result.kind === 'no_room') {
        this.#isExtendable = false
        return
      }
      const { addedOutputTokens, worstMicros, worstCredits, legs } = result
      const bound = { ...hold.bound, outputTokens: hold.bound.outputTokens + addedOutputTokens }
      this.#reserved.hold = { ...hold, bound, worstMicros, worstCredits, legs }
      this.#reserved.share?.holds(worstMicros)
    } catch {
      // An unavailable store cannot extend the hold, so the current hold remains the limit.
      this.#isExtendable = false
    }
  }
}
