import type { AnswerStream } from '#wire/stream/answer-stream-interface.ts'
import {
  leftToExtend,
  likelyOutput,
  type StreamDecision,
  continueOrCut,
  outputBeyond,
} from '#money/continue-or-cut-stream.ts'
import { toolTokensOf } from '#money/cost.ts'
import { maxOf } from '#money/amount.ts'
import type { CallBound, Hold, RateMeasure } from '#money/decision-types.ts'
import { neededAmount } from '#money/rate-limit.ts'
import { demandAt, worstCase } from '#money/worst-case.ts'
import { totalInput, withoutOutput, zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { ExtendRequest } from '#domain/ledger-interface.ts'
import type { Pace, Reserved, ReservedCall } from '#gateway/call/call-state-types.ts'
import { timeOf } from '#gateway/call/caller-of-request.ts'
import { usualShare } from '#gateway/call/apply-provider-tool-rules.ts'
import type { Used } from './end-of-call-at-provider.ts'
import type { InputCount } from './estimate-input-tokens.ts'
import { withRequestedTier } from './tier-if-not-reported.ts'

/** The documented interval: the cost is checked every 16 chunks and every 250 ms. */
const chunksPerCheck = 16
const msPerCheck = 250
/** Maximum time between checkpoints. After a crash, at most this much of a stream's usage count is lost. */
const msPerCheckpoint = 2_000
/** Number of output tokens that one extension adds to a hold. */
const extensionTokens = 4_096

/**
 * Tracks the cost of a stream, extends its hold, and decides when to cut the stream. The checks run only when chunks
 * arrive, because a stream without chunks costs nothing more.
 */
export class Meter {
  readonly #call: ReservedCall
  readonly #reserved: Reserved
  readonly #stream: AnswerStream
  readonly #input: InputCount
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
  #isUseExtendable = true
  /**
   * Whether the hold is final, because the stream has ended or the response is generated in the background. The hold of
   * a background response covers the whole response, and closing the stream would not stop the response.
   */
  #isFinal: boolean
  /** Whether the hold covers uses of tools that the provider runs. */
  readonly #hasTools: boolean

  constructor(call: ReservedCall, stream: AnswerStream, input: InputCount, onSpent: () => void) {
    this.#call = call
    this.#reserved = call.reserved
    this.#stream = stream
    this.#input = input
    this.#onSpent = onSpent
    this.#checkedAtMs = call.startedMonotonicMs
    this.#isFinal = call.request.isBackground === true
    this.#checkpointAtMs = call.startedMonotonicMs
    this.#hasTools = call.reserved.hold.bound.tools !== undefined
  }

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
    if (this.#hasTools) this.#checkUses()
    if (nowMs - this.#checkpointAtMs >= msPerCheckpoint) {
      this.#checkpointAtMs = nowMs
      this.#call.ports.ledger.checkpoint({ callId: this.#call.id, usage: this.counted() })
    }
  }

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

  /** The gateway's own count so far is charged if the provider never reports usage. */
  counted(): Usage {
    const { outputTokens: output, outputTokensSure: outputSure } = this.#stream
    const upstreamOutputMax = this.#reserved.maximum.told
    const counts = { output, outputSure, upstreamOutputMax }
    const beyond = outputBeyond(counts)
    return {
      ...this.#withUses(this.#countedInput()),
      output: likelyOutput(counts),
      ...(beyond > 0 && { outputBeyond: beyond }),
    }
  }

  /** Some wires report the input at the start of a stream. Without such a report, the gateway's own count is used. */
  #countedInput(): Usage {
    const told = this.#stream.inputUsage ?? null
    if (told === null || told.lacks === 'input')
      return this.#withTier({ ...zeroUsage, input: this.#input.tokens })
    const { lacks: _, ...usage } = withoutOutput(told)
    return this.#withTier(usage)
  }

  /** Most wires report the tier only at the end of a stream. */
  #withTier(usage: Usage): Usage {
    return withRequestedTier(usage, this.#call.request, this.#reserved)
  }

  /** Adds the tool uses that have begun, with the usual number of input tokens for each use. */
  #withUses(usage: Usage): Usage {
    const { tools, uses } = this.#reserved.hold.bound
    if (tools === undefined) return usage
    // If a model searches by itself, no event shows the start of a search, so count at least one.
    const least = this.#reserved.plan.ownSearches === null ? 0 : 1
    const begun = Math.max(this.#stream.toolUses ?? 0, least)
    const input = usage.input + Math.ceil(begun * tools.tokensPerUse * usualShare)
    const codeSessions = begun > 0 ? (this.#call.request.uses?.codeSessions ?? 0) : 0
    // If the request also has a web search, each tool use counts as a web search, not as a file search.
    const fileSearches = tools.searchesPerUse > 0 ? 0 : Math.min(begun, uses?.fileSearches ?? 0)
    return { ...usage, input, webSearches: begun * tools.searchesPerUse, codeSessions, fileSearches }
  }

  /** Whether the provider has not reported the input yet. */
  get isInputOurs(): boolean {
    const told = this.#stream.inputUsage ?? null
    return told === null || told.lacks === 'input'
  }

  /**
   * Extends the hold to the final charge of an ended stream, within the balance and the request's maximum. A fast
   * stream may end before its hold was extended, and hidden reasoning appears only in the final usage. Null if the hold
   * is large enough, which is the usual case.
   */
  catchUp(used: Used | null): Promise<void> | null {
    this.#isFinal = true
    const isShort = this.#missing(used) > 0 || this.#missingUses(used) > 0
    return this.#extending || isShort ? this.#extendTo(used) : null
  }

  async #extendTo(used: Used | null): Promise<void> {
    if (this.#extending) await this.#extending
    await this.#extendUses(this.#missingUses(used))
    const missing = this.#missing(used)
    if (missing > 0) await this.#extend(missing)
  }

  #missing(used: Used | null): number {
    return used ? used.usage.output - this.#reserved.hold.bound.outputTokens : 0
  }

  #missingUses(used: Used | null): number {
    return used && this.#hasTools ? missingUses(used.usage, this.#reserved.hold.bound) : 0
  }

  /**
   * The hold must cover a tool use as soon as the use begins. If the balance cannot cover the use, the termination
   * policy decides whether the stream is cut.
   */
  #checkUses(): void {
    const { bound, quote } = this.#reserved.hold
    const missing = (this.#stream.toolUses ?? 0) - (bound.tools?.uses ?? 0)
    if (missing <= 0 || this.#extending || this.#isFinal) return
    if (!this.#isUseExtendable) return
    this.#extending = this.#extendUses(missing).finally(() => {
      this.#extending = null
      if (!this.#isUseExtendable && !this.#isFinal && quote.policy === 'hard_token') this.#onSpent()
      else this.#checkUses()
    })
  }

  #check(): void {
    if (this.#extending || this.#isFinal) return
    const verdict = this.#verdictWith(this.#countedInput())
    if (verdict === 'extend') {
      this.#extending = this.#extend(extensionTokens).finally(() => {
        this.#extending = null
        this.#check()
      })
    } else if (verdict === 'abort') this.#cut()
  }

  #verdictWith(input: Usage): StreamDecision {
    const { outputTokens: output, outputTokensSure: outputSure } = this.#stream
    const { hold, maximum } = this.#reserved
    const { tools, uses } = hold.bound
    return continueOrCut({
      hold,
      // The money that is held for tool uses must not pay for output tokens.
      counted: {
        ...input,
        input: input.input + toolTokensOf(hold.bound),
        webSearches: tools === undefined ? 0 : tools.uses * tools.searchesPerUse,
        fileSearches: uses?.fileSearches ?? 0,
        output,
      },
      outputSure,
      upstreamOutputMax: maximum.told,
      isExtendable: this.#isExtendable,
    })
  }

  /**
   * Count the input with the tokenizer before cutting, because a high estimate must not end a response early. If the
   * output alone reaches the limit, the stream is cut without this count.
   */
  #cut(): void {
    if (this.#verdictWith(this.#withTier(zeroUsage)) === 'abort') return this.#onSpent()
    if (this.#isCounting) return
    if (!this.isInputOurs || this.#input.isCounted) return this.#onSpent()
    this.#isCounting = true
    void this.#input.count().finally(() => {
      this.#isCounting = false
      this.#check()
    })
  }

  async #extend(tokens: number): Promise<void> {
    const { hold, maximum } = this.#reserved
    const moreOutputTokens = Math.min(tokens, leftToExtend(hold, maximum.told))
    if (moreOutputTokens > 0 && !(await this.#hold({ moreOutputTokens }))) this.#isExtendable = false
  }

  async #extendUses(uses: number): Promise<void> {
    const { tools } = this.#reserved.hold.bound
    const moreToolUses = tools === undefined ? 0 : Math.min(uses, tools.usesMax - tools.uses)
    const more = { moreOutputTokens: 0, moreToolUses }
    if (uses > 0 && (moreToolUses < 1 || !(await this.#hold(more)))) this.#isUseExtendable = false
  }

  /** Returns false if the hold cannot grow. */
  async #hold(more: Pick<ExtendRequest, 'moreOutputTokens' | 'moreToolUses'>): Promise<boolean> {
    const { caller, id: callId } = this.#call
    const { ledger, clock } = this.#call.ports
    const { hold, shared } = this.#reserved
    const nowMs = timeOf(caller, clock.nowMs())
    try {
      const sharedRates = shared && (await shared.grow((measure) => growthOf(hold, more, measure), nowMs))
      const result = await ledger.extend({ callId, nowMs, ...more, ...(sharedRates && { sharedRates }) })
      if (result.kind === 'no_room') return false
      const { addedOutputTokens, addedToolUses = 0, legs, worstCredits, worstMicros } = result
      const { tools } = hold.bound
      const bound = {
        ...hold.bound,
        outputTokens: hold.bound.outputTokens + addedOutputTokens,
        ...(tools !== undefined && { tools: { ...tools, uses: tools.uses + addedToolUses } }),
      }
      this.#reserved.hold = { ...hold, bound, worstMicros, worstCredits, legs }
      this.#reserved.share?.holds(worstMicros)
      return true
    } catch {
      // If the store is unavailable, the current hold remains the limit.
      return false
    } finally {
      shared?.holds(this.#reserved.hold)
    }
  }
}

function growthOf(
  { bound, quote, worstMicros }: Hold,
  { moreOutputTokens, moreToolUses = 0 }: Pick<ExtendRequest, 'moreOutputTokens' | 'moreToolUses'>,
  measure: RateMeasure,
): bigint {
  const { outputTokens, tools } = bound
  const longer = {
    ...bound,
    outputTokens: outputTokens + moreOutputTokens,
    ...(tools !== undefined && { tools: { ...tools, uses: tools.uses + moreToolUses } }),
  }
  const { micros } = demandAt(worstCase(quote, longer), longer.outputTokens)
  return maxOf(neededAmount(measure, micros, longer) - neededAmount(measure, worstMicros, bound), 0n)
}

function missingUses(usage: Usage, bound: CallBound): number {
  const { tools } = bound
  if (tools === undefined) return 0
  const added = totalInput(usage) - bound.textTokens - bound.audioTokens - bound.imageTokens
  const byInput = tools.tokensPerUse === 0 ? 0 : Math.ceil(added / tools.tokensPerUse)
  const bySearches = tools.searchesPerUse === 0 ? 0 : usage.webSearches
  return Math.max(0, Math.max(byInput, bySearches) - tools.uses)
}
