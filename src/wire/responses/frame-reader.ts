import type { Usage } from '#money/usage-counts.ts'
import { providerErrorOf } from '#wire/read-provider-error.ts'
import { isNull, textAt } from '#wire/wire-request.ts'
import type { ProviderIds } from '#wire/types-of-replaced-ids.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import type { FailedFrame, Frame, FrameReader } from '#wire/stream/frame-reader-interface.ts'
import { holeAt } from '#wire/stream/recognize-repeated-frame-shapes.ts'
import {
  thirdsBeside,
  thirdsOfSeal,
  thirdsOfUnknown,
  thirdsOfWords,
} from '#wire/stream/count-tokens-by-bytes.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { endOf, kindOf, kinds, member, numberAt, startOf, valueAt } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { parseObject } from '#wire/text/json-values.ts'
import { splice, type Edit } from '#wire/text/apply-edits.ts'
import { failureFrames } from './errors.ts'
import { containerEdits, noCode, type CodeFacts } from './code-containers.ts'
import { isImageCall, thirdsOfOutput } from './generated-images.ts'
import { editsOf, usageAt, type Reading } from './non-streaming-response.ts'

/**
 * In each life-cycle event, the client gets the alias as the model name, and does not get the provider's price. A
 * stream ends with the event that completes the response.
 */
export class ResponsesFrameReader implements FrameReader {
  usage: Usage | null = null
  hasReportedUsage = false
  answeredBy: string | null = null
  responseId: string | null = null
  hasFailed = false
  toolUses = 0

  readonly #alias: string
  /**
   * If true, the client gets the response ID with the first event, because the client may disconnect before the answer
   * begins.
   */
  readonly #isBackground: boolean
  readonly #ids: ProviderIds
  readonly #code: CodeFacts
  /** Indexes of the items whose text arrived in deltas. */
  readonly #streamed = new Set<number>()
  #lastStreamed = -1
  #hasCounted = false
  #sequenceNumber = -1
  /** The response in the most recent life-cycle event, which contains the alias as the model name. */
  #response: ByteText = '{}'

  constructor(alias: string, { code = noCode, ids = {}, isBackground = false }: Reading = {}) {
    this.#alias = alias
    this.#isBackground = isBackground
    this.#ids = ids
    this.#code = code
  }

  read(json: Json, mayLearn: boolean): Frame | FailedFrame {
    const type = textAt(json, member(json, 0, 'type')) ?? ''
    this.#sequenceNumber = numberIn(json, 'sequence_number', this.#sequenceNumber)
    const response = member(json, 0, 'response')
    if (type === 'response.failed' || type === 'response.cancelled') {
      // A canceled response does not count as failed, because the gateway then reads its cost from the stored response.
      this.hasFailed = type === 'response.failed'
      this.#readUsage(json, response)
      // Some servers put the error next to the response.
      const failure = response < 0 ? null : providerErrorOf(valueAt(json, response))
      return { place: 'failed', failure: failure ?? providerErrorOf(valueAt(json, 0)) }
    }
    const error = member(json, 0, 'error')
    // After an error event, OpenAI also sends the event `response.failed`.
    if (type === 'error' || (error >= 0 && !isNull(json, error)))
      return { place: 'failed', failure: providerErrorOf(valueAt(json, 0)), mayTellMore: true }
    const edits = this.#edits(json, response)
    if (type === 'response.completed' || type === 'response.incomplete') {
      this.#readUsage(json, response)
      // If no part of the answer arrived before the end event, the output in the end event counts.
      const output = this.#hasCounted ? -1 : member(json, response, 'output')
      const thirds = output < 0 ? 0 : thirdsOfOutput(json, output)
      return { place: 'end', isShown: false, thirds, edits, isLast: true }
    }
    const frame = this.#piece(json, type, mayLearn)
    if (frame.thirds > 0 || frame.sealThirds) this.#hasCounted = true
    return { ...frame, edits }
  }

  readAfterFailure(json: Json): void {
    if (textAt(json, member(json, 0, 'type')) !== 'response.failed') return
    this.hasFailed = true
    this.#readUsage(json, member(json, 0, 'response'))
  }

  /**
   * Only an event completes an answer on the responses wire. The end marker of the chat wire, which OpenRouter also
   * sends, is ignored.
   */
  ending(): null {
    return null
  }

  spendTail(usage: Usage, error: WireError, requestId: string): ByteText {
    return this.#failedEnd(usage, error, requestId)
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return this.#failedEnd(this.usage, error, requestId)
  }

  #failedEnd(usage: Usage | null, error: WireError, requestId: string): ByteText {
    const response = {
      id: `resp_${requestId}`,
      object: 'response',
      created_at: 0,
      model: this.#alias,
      ...parseObject(textOf(this.#response)),
      // The output is empty, because a client must not treat an incomplete item as an answer or a call.
      output: [],
    }
    return failureFrames({ response, usage, error, requestId, sequenceNumber: this.#sequenceNumber + 1 })
  }

  #piece(json: Json, type: string, mayLearn: boolean): Frame {
    const delta = member(json, 0, 'delta')
    const isDelta = type.endsWith('.delta') && delta >= 0
    if (toolBegins.has(type)) this.toolUses++
    if (isDelta && kindOf(json, delta) !== kinds.string) return unknownFrame(thirdsOfUnknown(json, delta))
    if (!isDelta && !isOwn(type)) return unknownFrame(thirdsOfUnknown(json, 0))
    const beside = thirdsBeside(json, 0, eventNames)
    const frame = isDelta
      ? this.#delta(json, type, delta, mayLearn)
      : type === 'response.output_item.done'
        ? this.#item(json)
        : { isShown: type.endsWith('.partial_image'), thirds: 0 }
    const isBefore = !this.#isBackground && beforeAnyPiece.has(type) && beside === 0
    return {
      place: isBefore ? 'beside' : 'answer',
      ...frame,
      isShown: frame.isShown || beside > 0,
      thirds: frame.thirds + beside,
    }
  }

  #delta(json: Json, type: string, delta: Node, mayLearn: boolean): Omit<Frame, 'place'> {
    this.#noteStreamed(numberIn(json, 'output_index', -1))
    const thirds = thirdsOfWords(json, delta)
    // A sound is not text, and its transcript arrives separately.
    if (type === 'response.audio.delta') return { isShown: thirds > 0, thirds: 0 }
    // Summaries count separately, because another model writes the summaries.
    const kind = type === 'response.reasoning_summary_text.delta' ? 'reasoned' : 'written'
    if (!mayLearn) return { isShown: thirds > 0, thirds, kind }
    const sequence = holeAt(json, member(json, 0, 'sequence_number'), 'number')
    const index = holeAt(json, member(json, 0, 'output_index'), 'number')
    return {
      isShown: thirds > 0,
      thirds,
      kind,
      holes: [
        holeAt(json, delta, 'text'),
        holeAt(json, member(json, 0, 'item_id'), 'opaque'),
        holeAt(json, member(json, 0, 'obfuscation'), 'opaque'),
        sequence,
        index,
      ],
      onLike: (shape) => {
        this.#sequenceNumber = shape.numberIn(sequence)
        this.#noteStreamed(shape.numberIn(index))
      },
    }
  }

  #noteStreamed(outputIndex: number): void {
    if (outputIndex === this.#lastStreamed) return
    this.#lastStreamed = outputIndex
    this.#streamed.add(outputIndex)
  }

  /** Counts the parts of an item that did not arrive in deltas. */
  #item(json: Json): Omit<Frame, 'place'> {
    const item = member(json, 0, 'item')
    if (item < 0 || kindOf(json, item) !== kinds.object) return { isShown: false, thirds: 0 }
    if (isImageCall(json, item)) return { isShown: true, thirds: 0 }
    const sealThirds = thirdsOfSeal(json, member(json, item, 'encrypted_content'))
    const isStreamed = this.#streamed.has(numberIn(json, 'output_index', -1))
    const name = member(json, item, 'name')
    const thirds = !isStreamed
      ? thirdsOfWords(json, item) - sealThirds
      : name < 0
        ? 0
        : thirdsOfWords(json, name)
    return { isShown: thirds > 0, thirds, sealThirds }
  }

  #readUsage(json: Json, response: Node): void {
    const { usage, hasReportedUsage } = usageAt(json, response, this.#code)
    if (!hasReportedUsage) return
    this.usage = usage
    this.hasReportedUsage = true
  }

  #edits(json: Json, response: Node): readonly Edit[] {
    const { containers, conversations, responses } = this.#ids
    const contained = containers === undefined ? none : containerEdits(json, 0, containers)
    if (response < 0 || kindOf(json, response) !== kinds.object) return contained
    const own = editsOf(json, response, { alias: this.#alias, ids: responses, conversations, tokens: null })
    const edits = [...own, ...contained]
    this.answeredBy = textAt(json, member(json, response, 'model')) ?? this.answeredBy
    this.responseId = textAt(json, member(json, response, 'id')) ?? this.responseId
    const [from, to] = [startOf(json, response), endOf(json, response)]
    if (edits.length > 0)
      this.#response = splice(
        json.text.slice(from, to),
        edits.map((edit) => ({ ...edit, start: edit.start - from, end: edit.end - from })),
      )
    return edits
  }
}

const none: readonly Edit[] = []

const toolBegins: ReadonlySet<string> = new Set([
  'response.code_interpreter_call.in_progress',
  'response.file_search_call.in_progress',
  'response.image_generation_call.in_progress',
  'response.web_search_call.in_progress',
  'response.mcp_call.in_progress',
])

/** An event of unknown shape is a piece of the answer if it has content. */
function unknownFrame(thirds: number): Frame {
  return { place: thirds > 0 ? 'answer' : 'beside', isShown: thirds > 0, thirds }
}

/** Events that announce something or repeat the content of deltas have no new content. */
function isOwn(type: string): boolean {
  return type.startsWith('response.') || type === 'keepalive' || type === 'ping'
}

function numberIn(json: Json, name: string, other: number): number {
  const node = member(json, 0, name)
  return node >= 0 && kindOf(json, node) === kinds.number ? numberAt(json, node) : other
}

/** Known members of events, with a piece of the answer or a repetition. */
const eventNames: ReadonlySet<string> = new Set([
  'response',
  'item',
  'part',
  'delta',
  'text',
  'refusal',
  'transcript',
  'arguments',
  'input',
  'code',
  'annotation',
  'partial_image_b64',
])

/** Events that may arrive before the provider begins to work on the response. */
const beforeAnyPiece: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.output_item.added',
  'response.content_part.added',
  'response.reasoning_summary_part.added',
  'keepalive',
  'ping',
])
