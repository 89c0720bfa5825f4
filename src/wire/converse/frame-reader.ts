import type { Usage } from '#money/usage-counts.ts'
import { providerErrorOf } from '#wire/read-provider-error.ts'
import { isNull, spanOf, textAt } from '#wire/wire-request.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { brokenFrame } from '#wire/stream/frame-reader-interface.ts'
import type { BrokenFrame, FailedFrame, Frame, FrameReader } from '#wire/stream/frame-reader-interface.ts'
import { holeAt } from '#wire/stream/recognize-repeated-frame-shapes.ts'
import {
  thirdsBeside,
  thirdsOfEveryText,
  thirdsOfSeal,
  thirdsOfUnknown,
} from '#wire/stream/count-tokens-by-bytes.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { kindOf, kinds, member, nameAt, numberAt, valueAt } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { keysOf } from '#wire/text/members-of-tape-nodes.ts'
import type { Edit } from '#wire/text/apply-edits.ts'
import { eventNames } from './event-names.ts'
import { converseErrorFrame, converseSpendFrames } from './errors.ts'
import { reportedUsage } from './usage.ts'

/**
 * A frame is an object with one member, whose name is the type of the frame (providers/bedrock-stream-to-events.ts). A
 * stream ends with `messageStop`, which has the stop reason, and `metadata`, which has the usage.
 */
export class ConverseFrameReader implements FrameReader {
  usage: Usage | null = null
  hasReportedUsage = false
  answeredBy: string | null = null

  readonly #alias: string
  #hasFinish = false
  /** Index of the last block with readable thoughts, whose signature adds no output. */
  #thoughtsAt: number | null = null

  constructor(alias: string) {
    this.#alias = alias
  }

  read(json: Json): Frame | FailedFrame | BrokenFrame {
    if (kindOf(json, 0) !== kinds.object) return brokenFrame
    const error = member(json, 0, 'error')
    if (textAt(json, member(json, 0, 'type')) === 'error' || (error >= 0 && !isNull(json, error)))
      return { place: 'failed', failure: providerErrorOf(valueAt(json, 0)) }
    const beside = thirdsBeside(json, 0, eventNames)
    const delta = member(json, 0, 'contentBlockDelta')
    if (delta >= 0) return this.#delta(json, delta, beside)
    const metadata = member(json, 0, 'metadata')
    if (metadata >= 0) return this.#metadata(json, metadata, beside)
    if (member(json, 0, 'messageStop') >= 0) this.#hasFinish = true
    const start = member(json, 0, 'contentBlockStart')
    const name = member(json, member(json, member(json, start, 'start'), 'toolUse'), 'name')
    if (name >= 0) return this.#frame(beside + thirdsOfEveryText(json, name))
    return this.#frame(isKnown(json) ? beside : thirdsOfUnknown(json, 0))
  }

  /** If the stop reason was sent, the answer is complete, even if the frame with the usage is missing. */
  ending(): ByteText | null {
    return this.#hasFinish ? '' : null
  }

  spendTail(usage: Usage, error: WireError, requestId: string): ByteText {
    return converseSpendFrames(usage, error, requestId)
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return converseErrorFrame(error, requestId)
  }

  #frame(thirds: number, more: Partial<Frame> = {}): Frame {
    const place = this.#hasFinish ? 'end' : thirds > 0 ? 'answer' : 'beside'
    return { place, isShown: thirds > 0, thirds, ...more }
  }

  #delta(json: Json, frame: Node, besideFrame: number): Frame {
    const delta = member(json, frame, 'delta')
    const text = member(json, delta, 'text')
    const input = member(json, member(json, delta, 'toolUse'), 'input')
    const written = text >= 0 ? text : input
    const beside =
      besideFrame + thirdsBeside(json, frame, deltaFrameNames) + thirdsBeside(json, delta, deltaNames)
    if (written >= 0) {
      const holes = [holeAt(json, written, 'text'), holeAt(json, member(json, frame, 'p'), 'opaque')]
      return this.#frame(thirdsOfEveryText(json, written) + beside, { holes })
    }
    const reasoning = member(json, delta, 'reasoningContent')
    return reasoning >= 0 ? this.#thought(json, frame, reasoning, beside) : this.#frame(beside)
  }

  #thought(json: Json, frame: Node, reasoning: Node, beside: number): Frame {
    const index = indexAt(json, frame)
    const text = member(json, reasoning, 'text')
    if (text >= 0) {
      this.#thoughtsAt = index
      return this.#frame(thirdsOfEveryText(json, text) + beside)
    }
    const isCounted = this.#thoughtsAt !== index
    const seal = member(json, reasoning, 'signature')
    const redacted = member(json, reasoning, 'redactedContent')
    const thirds = isCounted ? thirdsOfSeal(json, seal) + thirdsOfSeal(json, redacted) : 0
    return this.#frame(thirds + beside, { isShown: beside > 0 })
  }

  #metadata(json: Json, metadata: Node, beside: number): Frame {
    const { hasReportedUsage, usage } = reportedUsage(json, metadata)
    this.hasReportedUsage = hasReportedUsage
    this.usage = usage
    this.answeredBy = invokedModel(json, metadata)
    return {
      place: 'end',
      isShown: beside > 0,
      thirds: beside,
      edits: traceEdits(json, metadata, this.#alias),
      isLast: this.#hasFinish,
    }
  }
}

/** Null if the request went to one model instead of a prompt router. */
export function invokedModel(json: Json, answer: Node): string | null {
  return textAt(json, invokedModelAt(json, answer))
}

/** The trace of a prompt router names the provider's model. */
export function traceEdits(json: Json, answer: Node, alias: string): readonly Edit[] {
  const place = invokedModelAt(json, answer)
  return place < 0 ? [] : [{ ...spanOf(json, place), text: byteTextOf(JSON.stringify(alias)) }]
}

function invokedModelAt(json: Json, answer: Node): Node {
  const router = member(json, member(json, answer, 'trace'), 'promptRouter')
  return member(json, router, 'invokedModelId')
}

function indexAt(json: Json, frame: Node): number {
  const index = member(json, frame, 'contentBlockIndex')
  return index >= 0 && kindOf(json, index) === kinds.number ? numberAt(json, index) : 0
}

function isKnown(json: Json): boolean {
  return keysOf(json, 0).some((key) => eventNames.has(nameAt(json, key)))
}

/**
 * Members of a frame with a delta, and of the delta. Citations do not count as output, because they quote the documents
 * of the request.
 */
const deltaFrameNames: ReadonlySet<string> = new Set(['contentBlockIndex', 'delta', 'p'])
const deltaNames: ReadonlySet<string> = new Set(['text', 'toolUse', 'reasoningContent', 'citation'])
