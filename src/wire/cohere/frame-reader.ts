import type { Usage } from '#money/usage-counts.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { providerErrorOf, unnamedError, type ProviderError } from '#wire/read-provider-error.ts'
import { thirdsBeside, thirdsOfEveryText, thirdsOfUnknown } from '#wire/stream/count-tokens-by-bytes.ts'
import { brokenFrame } from '#wire/stream/frame-reader-interface.ts'
import type { BrokenFrame, FailedFrame, Frame, FrameReader } from '#wire/stream/frame-reader-interface.ts'
import { holeAt } from '#wire/stream/recognize-repeated-frame-shapes.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { kindOf, kinds, member, valueAt, type Json, type Node } from '#wire/text/json-tape.ts'
import { textAt } from '#wire/wire-request.ts'
import { cohereErrorFrame, cohereSpendFrame } from './errors.ts'
import { hasFailed } from './finish-reasons.ts'
import { reportedUsage } from './usage.ts'
import { endMarker } from './write-frames.ts'

/**
 * Reads frames of a stream of Cohere's chat (docs/reference/wires.md "Cohere's chat"). A stream ends with
 * `message-end`, which has the finish reason and the usage, and `[DONE]`.
 */
export class CohereFrameReader implements FrameReader {
  usage: Usage | null = null
  hasReportedUsage = false
  /** Responses of Cohere name no model. */
  readonly answeredBy = null

  #hasFinish = false

  read(json: Json): Frame | FailedFrame | BrokenFrame {
    if (kindOf(json, 0) !== kinds.object) return brokenFrame
    const type = textAt(json, member(json, 0, 'type'))
    const delta = member(json, 0, 'delta')
    if (type === 'message-end') return this.#end(json, delta)
    if (type === null || type === 'error') {
      const failure = providerErrorOf(valueAt(json, 0))
      if (failure !== null || type === 'error') return { place: 'failed', failure }
    }
    if (type === null || !types.has(type)) return this.#frame(thirdsOfUnknown(json, 0))
    const message = member(json, delta, 'message')
    const content = member(json, message, 'content')
    const calls = member(json, message, 'tool_calls')
    const called = member(json, calls, 'function')
    const beside =
      thirdsBeside(json, 0, frameNames) +
      thirdsWithin(json, delta, deltaNames) +
      thirdsWithin(json, message, messageNames) +
      thirdsWithin(json, content, contentNames) +
      thirdsWithin(json, calls, callNames) +
      thirdsWithin(json, called, functionNames)
    const texts = [
      member(json, message, 'tool_plan'),
      member(json, content, 'text'),
      member(json, content, 'thinking'),
      member(json, called, 'name'),
      member(json, called, 'arguments'),
    ].filter((text) => text >= 0)
    const written = texts.reduce((sum, text) => sum + thirdsOfEveryText(json, text), 0)
    const holes = texts.map((text) => holeAt(json, text, 'text'))
    return this.#frame(written + beside, type.endsWith('-delta') ? { holes } : {})
  }

  /** If the finish reason was sent, the answer is complete, even if the end marker is missing. */
  ending(isMarked: boolean): ByteText | null {
    return isMarked || this.#hasFinish ? endMarker : null
  }

  spendTail(usage: Usage, error: WireError, requestId: string): ByteText {
    return cohereSpendFrame(usage, error, requestId)
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return cohereErrorFrame(error, requestId)
  }

  #frame(thirds: number, more: Partial<Frame> = {}): Frame {
    const place = this.#hasFinish ? 'end' : thirds > 0 ? 'answer' : 'beside'
    return { place, isShown: thirds > 0, thirds, ...more }
  }

  #end(json: Json, delta: Node): Frame | FailedFrame {
    const { hasReportedUsage, usage } = reportedUsage(json, member(json, delta, 'usage'))
    this.hasReportedUsage = hasReportedUsage
    this.usage = usage
    if (hasFailed(textAt(json, member(json, delta, 'finish_reason'))))
      return { place: 'failed', failure: failureIn(json, delta) }
    this.#hasFinish = true
    return this.#frame(thirdsBeside(json, 0, frameNames) + thirdsBeside(json, delta, endNames))
  }
}

/** Counts a value that is not an object as a whole. */
function thirdsWithin(json: Json, value: Node, known: ReadonlySet<string>): number {
  const isOther = value >= 0 && kindOf(json, value) !== kinds.object
  return isOther ? thirdsOfUnknown(json, value) : thirdsBeside(json, value, known)
}

function failureIn(json: Json, delta: Node): ProviderError {
  return providerErrorOf(valueAt(json, delta)) ?? unnamedError
}

const types: ReadonlySet<string> = new Set([
  'message-start',
  'content-start',
  'content-delta',
  'content-end',
  'tool-plan-delta',
  'tool-call-start',
  'tool-call-delta',
  'tool-call-end',
  'citation-start',
  'citation-end',
  'debug',
])

/** Citations, which repeat parts of the answer, and `prompt`, which repeats the request, do not count as output. */
const frameNames: ReadonlySet<string> = new Set(['id', 'type', 'index', 'delta', 'prompt', 'logprobs'])
const deltaNames: ReadonlySet<string> = new Set(['message'])
const messageNames: ReadonlySet<string> = new Set(['role', 'content', 'tool_plan', 'tool_calls', 'citations'])
const contentNames: ReadonlySet<string> = new Set(['type', 'text', 'thinking'])
const callNames: ReadonlySet<string> = new Set(['id', 'type', 'function'])
const functionNames: ReadonlySet<string> = new Set(['name', 'arguments'])
const endNames: ReadonlySet<string> = new Set(['finish_reason', 'usage', 'error'])
