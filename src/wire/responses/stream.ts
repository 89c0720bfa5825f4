import type { Usage } from '#money/usage.ts'
import type { AnswerStream, StreamState, WireError } from '#wire/stream/answer-stream.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { endOf, kindOf, kinds, member, numberAt, parseJson, startOf, valueAt } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { parseObject } from '#wire/text/json-values.ts'
import { OutputCount, sureOfReasoned } from '#wire/bound/output-count.ts'
import { providerErrorOf } from '#wire/provider-error.ts'
import type { ProviderError } from '#wire/provider-error.ts'
import { isNull, spanOf, textAt } from '#wire/request.ts'
import { splice } from '#wire/text/splice.ts'
import { costEdits } from '#wire/stated-cost.ts'
import { SseSplitter } from '#wire/text/sse.ts'
import type { SseEvent } from '#wire/text/sse.ts'
import { thirdsBeside, thirdsOfUnknown, thirdsOutsideData } from '#wire/stream/unknown-frame.ts'
import { DeltaShape } from './delta-shape.ts'
import { failureFrames } from './errors.ts'
import { answerLimits } from './limits.ts'
import { thirdsOfItems, thirdsOfSeal } from './output-text.ts'
import { usageAt } from './usage-at.ts'

/**
 * A stream of events passed on: the same bytes, but for the model's name in the response that events of
 * its life cycle carry. Held back: at the start what comes before the first piece of an answer, so that an
 * error in its place can still become a real status; at the end the event that completes it.
 */
export class ResponsesStream implements AnswerStream {
  state: StreamState = 'open'
  usage: Usage | null = null
  hasReportedUsage = false
  failure: ProviderError | null = null
  hasDelivered = false
  isFailing = false

  readonly #alias: string
  readonly #splitter = new SseSplitter()
  /** What the model has written. */
  readonly #written = new OutputCount()
  /** Summaries of reasoning, which another model writes. */
  readonly #reasoned = new OutputCount()
  /** What is sealed of reasoning: it says nothing of how many tokens there surely were. */
  readonly #sealed = new OutputCount()
  #shape: DeltaShape | null = null
  #shapesLearnt = 0
  /** Items whose text has come in deltas. */
  readonly #streamed = new Set<number>()
  #lastStreamed = -1
  #sequenceNumber = -1
  /** The response as an event of its life cycle had it last, the alias in it. */
  #response: ByteText = '{}'
  #hasBegun = false
  #preamble: ByteText = ''
  #out: ByteText = ''
  #held: ByteText = ''

  /** @param alias the name that the client asked for, which every response in it shall carry */
  constructor(alias: string) {
    this.#alias = alias
  }

  get textChunks(): number {
    return this.#written.chunks + this.#reasoned.chunks + this.#sealed.chunks
  }

  get outputTokens(): number {
    return this.#written.tokens + this.#reasoned.tokens + this.#sealed.tokens
  }

  get outputTokensSure(): number {
    return this.#written.tokensSure + sureOfReasoned(this.#reasoned)
  }

  push(chunk: ByteText): ByteText {
    if (!this.#splitter.push(chunk, this.#onEvent) && this.state === 'open') this.state = 'broken'
    return this.#taken()
  }

  end(): ByteText {
    this.#splitter.end(this.#onEvent)
    if (this.isFailing) this.#endFailed()
    return this.#taken()
  }

  tail(): ByteText {
    return this.#held
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
      // What is half written must not be taken for an answer or a call.
      output: [],
    }
    const sequenceNumber = this.#sequenceNumber + 1
    const begun = this.#hasBegun ? '' : this.#preamble
    return begun + failureFrames({ response, usage, error, requestId, sequenceNumber })
  }

  readonly #onEvent = (event: SseEvent): void => {
    const { text, start, end, dataStart, dataEnd } = event
    // What follows the event that completes an answer may come with it or much later, or be the marker of the
    // chat wire (OpenRouter): nobody needs it, and nobody gets it.
    if (this.state !== 'open') return
    if (this.isFailing) {
      this.#afterTheError(event)
      return
    }
    if (dataEnd === dataStart) {
      this.#giveUnknown(text.slice(start, end), thirdsOutsideData(text.slice(start, end)))
      return
    }
    const shape = this.#shape
    if (shape) {
      const thirds = shape.thirdsIn(text, start, end)
      if (thirds >= 0) {
        this.#countDelta(shape.type, shape.outputIndex, thirds)
        this.#sequenceNumber = shape.sequenceNumber
        this.#out += text.slice(start, end)
        return
      }
    }
    // Nothing has completed the answer, so there is nothing yet that this could be the end of.
    if (text.slice(dataStart, dataEnd) === '[DONE]') return
    this.#readSlowly(event)
  }

  #readSlowly(event: SseEvent): void {
    const { text, start, end, dataStart, dataEnd } = event
    const json = parseJson(text.slice(dataStart, dataEnd), answerLimits)
    if ('reason' in json) {
      this.state = 'broken'
      return
    }
    const type = textAt(json, member(json, 0, 'type')) ?? ''
    const sequence = member(json, 0, 'sequence_number')
    if (sequence >= 0 && kindOf(json, sequence) === kinds.number)
      this.#sequenceNumber = numberAt(json, sequence)
    const error = member(json, 0, 'error')
    if (type === 'error' || (error >= 0 && !isNull(json, error))) {
      this.failure = providerErrorOf(valueAt(json, 0))
      this.isFailing = true
      return
    }
    const response = member(json, 0, 'response')
    const edited = this.#edited(event, json, response)
    switch (type) {
      case 'response.completed':
      case 'response.incomplete':
        this.#readUsage(json, response)
        this.#countResponse(json, response)
        this.#held = (this.#hasBegun ? '' : this.#preamble) + edited
        this.state = 'done'
        return
      case 'response.failed':
      case 'response.cancelled': {
        this.#readUsage(json, response)
        this.failure = response < 0 ? null : providerErrorOf(valueAt(json, response))
        this.#endFailed()
        return
      }
      case 'response.output_item.done':
        this.#countItem(json)
        break
      default: {
        const delta = member(json, 0, 'delta')
        if (type.endsWith('.delta') && delta >= 0) {
          if (kindOf(json, delta) !== kinds.string) {
            this.#giveUnknown(edited, thirdsOfUnknown(json, delta))
            return
          }
          this.#countDelta(type, indexAt(json), thirdsOfItems(json, delta))
          if (++this.#shapesLearnt <= shapesMax)
            this.#shape = DeltaShape.of(json, type, text, { start, end, dataStart })
        } else if (type.endsWith('.partial_image')) this.hasDelivered = true
        else if (!isOwn(type)) {
          this.#giveUnknown(edited, thirdsOfUnknown(json, 0))
          return
        }
      }
    }
    const beside = thirdsBeside(json, 0, eventNames)
    if (beside > 0) this.#giveUnknown(edited, beside)
    else if (beforeAnyPiece.has(type)) this.#give(edited)
    else this.#begin(edited)
  }

  #countDelta(type: string, outputIndex: number, thirds: number): void {
    if (outputIndex !== this.#lastStreamed) {
      this.#lastStreamed = outputIndex
      this.#streamed.add(outputIndex)
    }
    if (thirds > 0) this.hasDelivered = true
    // A sound is no text; its transcript comes beside it.
    if (thirds === 0 || type === 'response.audio.delta') return
    if (type === 'response.reasoning_summary_text.delta') this.#reasoned.add(thirds)
    else this.#written.add(thirds)
  }

  /** What of an item has not come in deltas: its name, its seal, or all of it. */
  #countItem(json: Json): void {
    const item = member(json, 0, 'item')
    if (item < 0 || kindOf(json, item) !== kinds.object) return
    const sealed = thirdsOfSeal(json, member(json, item, 'encrypted_content'))
    if (sealed > 0) this.#sealed.add(sealed)
    const name = member(json, item, 'name')
    const isStreamed = this.#streamed.has(indexAt(json))
    const written = isStreamed
      ? name < 0
        ? 0
        : thirdsOfItems(json, name)
      : thirdsOfItems(json, item) - sealed
    if (written > 0) {
      this.hasDelivered = true
      this.#written.add(written)
    }
  }

  /** Of an answer of which nothing came before its end, what the end has. */
  #countResponse(json: Json, response: Node): void {
    const output = response < 0 || this.textChunks > 0 ? -1 : member(json, response, 'output')
    const thirds = output < 0 ? 0 : thirdsOfItems(json, output)
    if (thirds > 0) this.#written.add(thirds)
  }

  #readUsage(json: Json, response: Node): void {
    const { usage, hasReportedUsage } = usageAt(json, response)
    if (!hasReportedUsage) return
    this.usage = usage
    this.hasReportedUsage = true
  }

  #endFailed(): void {
    this.isFailing = false
    this.state = 'failed'
  }

  /**
   * After an error OpenAI sends the failed response, which may say what it has used. It may come in another read
   * than the error, and what is charged must not depend on that.
   */
  #afterTheError({ text, dataStart, dataEnd }: SseEvent): void {
    if (dataEnd === dataStart) return
    const json = parseJson(text.slice(dataStart, dataEnd), answerLimits)
    if (!('reason' in json) && textAt(json, member(json, 0, 'type')) === 'response.failed')
      this.#readUsage(json, member(json, 0, 'response'))
    this.#endFailed()
  }

  /** The event with the alias for the model's name and without the provider's price, where it carries a response. */
  #edited({ text, start, end, dataStart, dataEnd }: SseEvent, json: Json, response: Node): ByteText {
    if (response < 0 || kindOf(json, response) !== kinds.object) return text.slice(start, end)
    const model = member(json, response, 'model')
    const alias = byteTextOf(JSON.stringify(this.#alias))
    const edits = [
      ...(model < 0 ? [] : [{ ...spanOf(json, model), text: alias }]),
      ...costEdits(json, member(json, response, 'usage')),
    ]
    if (edits.length === 0) return text.slice(start, end)
    const from = startOf(json, response)
    const inner = edits.map((edit) => ({ ...edit, start: edit.start - from, end: edit.end - from }))
    this.#response = splice(json.text.slice(from, endOf(json, response)), inner)
    return text.slice(start, dataStart) + splice(json.text, edits) + text.slice(dataEnd, end)
  }

  /** The first piece of an answer, or any after it. */
  #begin(out: ByteText): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true
      this.#out += this.#preamble
      this.#preamble = ''
    }
    this.#out += out
  }

  /** What is of no shape of this wire: a piece of the answer, if there is anything in it. */
  #giveUnknown(out: ByteText, thirds: number): void {
    if (thirds === 0) {
      this.#give(out)
      return
    }
    this.#written.add(thirds)
    this.hasDelivered = true
    this.#begin(out)
  }

  /** What is no piece of an answer. */
  #give(out: ByteText): void {
    if (this.#hasBegun) this.#out += out
    else this.#preamble += out
  }

  /** All events of one read from the provider as one write to the client. */
  #taken(): ByteText {
    const out = this.#out
    this.#out = ''
    return out
  }
}

/**
 * Events of this wire that are no delta announce something, or say again what came in deltas; an item that
 * did not is counted when it is done.
 */
function isOwn(type: string): boolean {
  return type.startsWith('response.') || type === 'keepalive' || type === 'ping'
}

function indexAt(json: Json): number {
  const index = member(json, 0, 'output_index')
  return index >= 0 && kindOf(json, index) === kinds.number ? numberAt(json, index) : -1
}

/** What stands in the events of this wire: a piece of the answer, or again what came in pieces. */
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

/** A stream whose deltas keep changing their shape is parsed instead. */
const shapesMax = 64

/** Events that may come before a provider has done anything. */
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
