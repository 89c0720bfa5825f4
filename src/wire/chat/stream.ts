import type { Usage } from '#money/usage.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { member, parseJson } from '#wire/text/json-tape.ts'
import { costEdits, tellsCost } from '#wire/stated-cost.ts'
import { SseSplitter } from '#wire/text/sse.ts'
import type { SseEvent } from '#wire/text/sse.ts'
import type { AnswerStream, StreamState, WireError } from '#wire/stream/answer-stream.ts'
import { OutputCount } from '#wire/bound/output-count.ts'
import { providerErrorOf } from '#wire/provider-error.ts'
import type { ProviderError } from '#wire/provider-error.ts'
import { besideFree, thirdsOfUnknownData, thirdsOutsideData } from '#wire/stream/unknown-frame.ts'
import { chatErrorFrames } from './errors.ts'
import { chatSpendFrames } from './chunks.ts'
import { usagesIn } from './whole-answer.ts'
import { emptyScan, is, scanChunk } from './chunk.ts'
import type { ChunkScan } from './chunk.ts'
import { copied, Shape } from './shape.ts'
import type { Fixed } from './shape.ts'
import { isRecord, reportedUsage, usageFromChat } from './usage.ts'

/**
 * A chat-completions stream passed on: the same bytes, but for the model's name, and without the usage that
 * only the gateway asked for. Held back for `tail`: the usage chunk and `[DONE]`.
 */
export class ChatStream implements AnswerStream {
  state: StreamState = 'open'
  usage: Usage | null = null
  hasReportedUsage = false
  hasFinish = false
  failure: ProviderError | null = null

  readonly #alias: ByteText
  readonly #wantsUsage: boolean
  readonly #scan = emptyScan()
  readonly #splitter = new SseSplitter()
  #shape: Shape | null = null
  #shapesLearnt = 0
  readonly #count = new OutputCount()
  #out: ByteText = ''
  #held: ByteText = ''
  #id = 'chatcmpl-tollgate'
  #created = 0
  #isFirst = true
  #hasBegun = false
  #preamble: ByteText = ''

  /**
   * @param alias the name that the client asked for, which every chunk shall carry
   * @param wantsUsage the client asked for the usage chunk itself
   */
  constructor(alias: string, wantsUsage: boolean) {
    this.#alias = byteTextOf(JSON.stringify(alias))
    this.#wantsUsage = wantsUsage
  }

  get textChunks(): number {
    return this.#count.chunks
  }

  /** What is counted is given out at once. */
  get hasDelivered(): boolean {
    return this.#count.chunks > 0
  }

  get outputTokens(): number {
    return this.#count.tokens
  }

  get outputTokensSure(): number {
    return this.#count.tokensSure
  }

  push(chunk: ByteText): ByteText {
    if (!this.#splitter.push(chunk, this.#onEvent) && this.state === 'open') this.state = 'broken'
    return this.#taken()
  }

  end(): ByteText {
    this.#splitter.end(this.#onEvent)
    if (this.state === 'open' && this.hasFinish) {
      // Some compatible servers finish and close without the marker; clients wait for it.
      this.#held += doneFrame
      this.state = 'done'
    }
    return this.#taken()
  }

  tail(): ByteText {
    return this.#preamble + this.#held
  }

  spendTail(usage: Usage, error: WireError, requestId: string): ByteText {
    const model = String(JSON.parse(textOf(this.#alias)))
    return (
      this.#preamble +
      chatSpendFrames({ id: this.#id, created: this.#created, model }, usage, error, requestId)
    )
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return chatErrorFrames(error, requestId)
  }

  readonly #onEvent = (event: SseEvent): void => {
    if (this.state !== 'open') return
    const { text, dataStart, dataEnd } = event
    if (dataEnd === dataStart) {
      this.#passOther(text.slice(event.start, event.end))
      return
    }
    if (this.#shape) {
      const thirds = this.#shape.thirdsIn(text, event.start, event.end)
      if (thirds >= 0) {
        if (thirds > 0) this.#count.add(thirds)
        this.#out += this.#shape.edited(text, event.start, event.end)
        return
      }
    }
    if (isDone(text, dataStart, dataEnd)) {
      this.#held += doneFrame
      this.state = 'done'
      return
    }
    const scan = this.#scan
    scanChunk(text, dataStart, dataEnd, scan)
    if (scan.isBroken) {
      this.state = 'broken'
      return
    }
    const data = text.slice(dataStart, dataEnd)
    if (scan.thirdsUnseen > 0 && !scan.hasChoices && isErrorObject.test(data)) scan.hasError = true
    const thirds = isSeen(scan) ? scan.thirds : Math.max(scan.thirds, thirdsOfAll(data))
    if (thirds > 0) this.#count.add(thirds)
    if (scan.hasFinish) this.hasFinish = true
    // Some put the error into the choice that it ends.
    const mayFail = scan.hasError || (scan.hasFinish && data.includes('"error"'))
    const hasUsage = scan.hasUsage || scan.hasChoiceUsage
    if (mayFail || hasUsage || scan.hasGroq || this.#isFirst) this.#readSlowly(textOf(data), mayFail)
    if (hasUsage && tellsCost.test(data)) this.#takeCostOut(data, dataStart)
    if (this.state !== 'open') return
    if (scan.hasUsage && !scan.hasChoices && thirds === 0) {
      if (this.#wantsUsage) this.#held += this.#edited(event)
      return
    }
    if (thirds > 0 || scan.hasFinish) this.#begin()
    this.#pass(this.#edited(event))
    if (this.#hasBegun) this.#learnShape(event)
  }

  /** The answer is there: what came before it, the role and comments, goes with it. */
  #begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#out += this.#preamble
    this.#preamble = ''
  }

  /** An event without data. */
  #passOther(event: ByteText): void {
    const thirds = thirdsOutsideData(event)
    if (thirds > 0) {
      this.#count.add(thirds)
      this.#begin()
    }
    this.#pass(event)
  }

  #pass(frame: ByteText): void {
    if (this.#hasBegun) this.#out += frame
    else if (this.#preamble.length < preambleBytesMax) this.#preamble += frame
    else {
      // A server that says so much before its answer is let through, error or not.
      this.#begin()
      this.#out += frame
    }
  }

  /** A plain chunk with one text: the next ones are likely to be the same around theirs. */
  #learnShape({ text, start, end }: SseEvent): void {
    const { texts, textStart, textEnd, paddingStart, paddingEnd } = this.#scan
    const { hasFinish, hasUsage, hasChoiceUsage, hasGroq, hasError } = this.#scan
    const isPlain = !hasFinish && !hasUsage && !hasChoiceUsage && !hasGroq && !hasError
    if (texts !== 1 || !isPlain || end - start > shapeBytesMax) return
    if (++this.#shapesLearnt > shapesMax) return
    // What is edited stands before or behind the text and the padding, never in them.
    const fixed = (from: number, to: number): Fixed => ({
      given: copied(text.slice(from, to)),
      edited: copied(this.#editedSpan(text, from, to)),
    })
    this.#shape =
      paddingStart > textEnd
        ? new Shape(fixed(start, textStart), fixed(textEnd, paddingStart), fixed(paddingEnd, end))
        : new Shape(fixed(start, textStart), null, fixed(textEnd, end))
  }

  /** The rare chunks that need more than a scan: the first, those with usage, those with an error. */
  #readSlowly(text: string, mayFail: boolean): void {
    let chunk: unknown
    try {
      chunk = JSON.parse(text)
    } catch {
      this.state = 'broken'
      return
    }
    if (!isRecord(chunk)) return
    if (this.#isFirst) {
      this.#isFirst = false
      if (typeof chunk.id === 'string' && chunk.id !== '') this.#id = chunk.id
      if (typeof chunk.created === 'number') this.#created = chunk.created
    }
    this.failure = mayFail ? providerErrorOf(chunk) : null
    if (this.failure) this.state = 'failed'
    const reported = reportedUsage(chunk)
    if (reported !== undefined && reported !== null) {
      this.hasReportedUsage = true
      // Servers that report cumulatively repeat it: the last word wins, nothing is added (wire.md 1.5).
      this.usage = usageFromChat(reported, typeof chunk.service_tier === 'string' ? chunk.service_tier : null)
    }
  }

  /** What the call has cost the application is not for its users. */
  #takeCostOut(data: ByteText, dataStart: number): void {
    const json = parseJson(data)
    if ('reason' in json) {
      this.state = 'broken'
      return
    }
    const { edits } = this.#scan
    for (const usage of usagesIn(json, member(json, 0, 'choices'))) {
      for (const { start, end } of costEdits(json, usage))
        edits.push({ start: start + dataStart, end: end + dataStart, of: 'provider' })
    }
    edits.sort((one, other) => one.start - other.start)
  }

  #edited({ text, start, end }: SseEvent): ByteText {
    return this.#editedSpan(text, start, end)
  }

  /** A span of the chunk that was scanned last, as the client shall have it; no edit reaches across its ends. */
  #editedSpan(text: ByteText, start: number, end: number): ByteText {
    let out = ''
    let from = start
    for (const edit of this.#scan.edits) {
      if (edit.start < start || edit.end > end || (edit.of === 'null usage' && this.#wantsUsage)) continue
      out += text.slice(from, edit.start)
      if (edit.of === 'model') out += this.#alias
      from = edit.end
    }
    return out + text.slice(from, end)
  }

  /** All events of one read from the provider as one write to the client. */
  #taken(): ByteText {
    const out = this.#out
    this.#out = ''
    return out
  }
}

const preambleBytesMax = 64 * 1024

/** A frame around a few characters is small; a larger one is not worth remembering. */
const shapeBytesMax = 2048
/** A stream whose chunks keep changing shape (several choices in turn) is scanned instead. */
const shapesMax = 8

/**
 * Whether the scan tells all that a model may have written. Under other names a text often stands once more
 * (`reasoning_details` of OpenRouter): as much as is known already is not counted again.
 */
function isSeen({ thirds, thirdsUnseen, hasError, hasChoices, hasUsage }: ChunkScan): boolean {
  if (hasError) return true
  if (thirdsUnseen > 0) return thirds > 0 && thirdsUnseen <= thirds + besideFree
  return thirds > 0 || hasChoices || hasUsage
}

/**
 * Of a chunk in which the scan has not found it all. What is of no shape of this wire counts by its bytes; a
 * sound or a picture is a piece of the answer, however many tokens it may be.
 */
function thirdsOfAll(data: ByteText): number {
  return thirdsOfUnknownData(data) || (media.test(data) ? 1 : 0)
}

const isErrorObject = /"object"\s*:\s*"error"/

const media = /"(?:data|url|b64_json)"\s*:\s*"[^"]/

const doneFrame = 'data: [DONE]\n\n'

function isDone(text: ByteText, start: number, end: number): boolean {
  return end - start === 6 && is(text, start, '[DONE]')
}
