import type { Usage } from '#money/usage.ts'
import type { AnswerStream, StreamState, WireError } from '#wire/stream/answer-stream.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { isObject, listOf, objectOf, parseObject } from '#wire/text/json-values.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import type { ProviderError } from '#wire/provider-error.ts'
import { OutputCount } from '#wire/bound/output-count.ts'
import { providerErrorOf } from '#wire/provider-error.ts'
import type { WireRequest } from '#wire/request.ts'
import { SseSplitter } from '#wire/text/sse.ts'
import type { SseEvent } from '#wire/text/sse.ts'
import { besideFree, thirdsOfUnknownData, thirdsOutsideData } from '#wire/stream/unknown-frame.ts'
import { generateErrorFrame } from './errors.ts'
import { emptyFrame, scanFrame } from './frame.ts'
import { closing, failedClosing, framed } from './framing.ts'
import { matchFrame, shapeOf } from './shape.ts'
import type { FrameMatch, FrameShape } from './shape.ts'
import { countsOutput, hasCounts, usageFromGenerate, usageToGenerate } from './usage.ts'

/**
 * A stream of generateContent answers passed on: the same bytes, but for the model's name; or their JSON
 * as the elements of one array, where the client wants that.
 *
 * Nothing on this wire says that a stream is over, so it is whole when the provider has closed after a
 * finish of every candidate. Held back for `tail`: all from the frame on that has the last finish. A
 * frame of a candidate that goes on shows that it was not the last, and lets go what was held.
 */
export class GenerateStream implements AnswerStream {
  state: StreamState = 'open'
  failure: ProviderError | null = null
  hasDelivered = false

  readonly #alias: string
  readonly #aliasJson: ByteText
  readonly #isJsonArray: boolean
  readonly #choices: number
  readonly #splitter = new SseSplitter()
  readonly #scan = emptyFrame()
  readonly #match: FrameMatch = { thirds: 0, modelStart: -1, usageStart: -1, usageEnd: -1 }
  readonly #count = new OutputCount()
  #shape: FrameShape | null = null
  #shapesLearnt = 0
  readonly #running = new Set<number>()
  readonly #finished = new Set<number>()
  /** Every candidate has finished, or there will be none. */
  #isEnding = false
  #responseId: string | null = null
  /** Of `usageMetadata`, the last that counted anything; read when somebody asks. */
  #report: ByteText = ''
  #reportRead: ByteText = ''
  #reportObject: JsonObject | null = null
  #isFirst = true
  #hasGiven = false
  /** Something of the answer is in what is held. */
  #holdsPiece = false
  /** Before the first piece of an answer, and from its finish on: whole frames. */
  #preamble: ByteText[] = []
  #held: ByteText[] = []
  #out: ByteText = ''

  constructor({ model, isJsonArray, choices }: Pick<WireRequest, 'model' | 'isJsonArray' | 'choices'>) {
    this.#alias = model
    this.#aliasJson = byteTextOf(JSON.stringify(model))
    this.#isJsonArray = isJsonArray
    this.#choices = choices
  }

  get usage(): Usage | null {
    return this.#isReported() ? usageFromGenerate(this.#reported()) : null
  }

  /** The first frames count the prompt, and the output not yet. */
  get inputUsage(): Usage | null {
    return usageFromGenerate(this.#reported())
  }

  get hasReportedUsage(): boolean {
    return this.#isReported()
  }

  get textChunks(): number {
    return this.#count.chunks
  }

  /** The provider's own count where it is ahead: it knows of thoughts that it does not show. */
  get outputTokens(): number {
    return Math.max(this.#count.tokens, this.#outputReported())
  }

  get outputTokensSure(): number {
    return Math.max(this.#count.tokensSure, this.#outputReported())
  }

  push(chunk: ByteText): ByteText {
    if (!this.#splitter.push(chunk, this.#onEvent) && this.state === 'open') this.state = 'broken'
    return this.#taken()
  }

  end(): ByteText {
    const wasOpen = this.state === 'open'
    this.#splitter.end(this.#onEvent)
    // Half a frame is what a connection leaves that was cut.
    if (wasOpen && this.state === 'broken') this.state = 'open'
    else if (this.state === 'open' && this.#isEnding) this.state = 'done'
    return this.#taken()
  }

  tail(): ByteText {
    const frames = [...this.#preamble, ...this.#held]
    const isFirst = !this.#hasGiven
    return this.#joined(frames, isFirst) + closing(this.#isJsonArray, isFirst && frames.length === 0)
  }

  /** The usage without a finish, which would make the answer whole, and the error that clients throw. */
  spendTail(usage: Usage, error: WireError, requestId: string): ByteText {
    const counted = {
      usageMetadata: usageToGenerate(usage),
      modelVersion: this.#alias,
      ...(this.#responseId !== null && { responseId: this.#responseId }),
    }
    return this.#lastWords([byteTextOf(JSON.stringify(counted)), generateErrorFrame(error, requestId)], error)
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return this.#lastWords([generateErrorFrame(error, requestId)], error)
  }

  #lastWords(answers: readonly ByteText[], { code }: WireError): ByteText {
    return framed(this.#isJsonArray, answers, !this.#hasGiven) + failedClosing(this.#isJsonArray, code)
  }

  readonly #onEvent = (event: SseEvent): void => {
    if (this.state !== 'open') return
    const { text, start, end, dataStart, dataEnd } = event
    if (dataEnd === dataStart) {
      if (this.#isJsonArray) return
      const thirds = thirdsOutsideData(text.slice(start, end))
      if (thirds > 0) this.#count.add(thirds)
      this.#place(text.slice(start, end), thirds > 0)
      return
    }
    const shape = this.#shape
    if (shape && !this.#isEnding && matchFrame(shape, text, start, end, this.#match)) {
      const { thirds, modelStart, usageStart, usageEnd } = this.#match
      if (thirds > 0) this.#count.add(thirds)
      if (usageStart >= 0) this.#report = text.slice(usageStart, usageEnd)
      this.#place(this.#edited(event, modelStart, modelStart + shape.modelLength), thirds > 0)
      return
    }
    this.#read(event)
  }

  #read(event: SseEvent): void {
    const { text, start, end, dataStart, dataEnd } = event
    const scan = this.#scan
    scanFrame(text, dataStart, dataEnd, scan)
    if (scan.isBroken) {
      this.state = 'broken'
      return
    }
    const { hasOtherPart, hasFinish, hasError, hasFeedback, usageStart, usageEnd } = scan
    const isSeen = hasError || ((scan.thirds > 0 || scan.texts > 0) && scan.thirdsUnseen <= besideFree)
    const thirds = isSeen
      ? scan.thirds
      : Math.max(scan.thirds, this.#thirdsUnseen(text.slice(dataStart, dataEnd)))
    if (thirds > 0) this.#count.add(thirds)
    if (this.#isFirst || hasFinish || hasError || hasFeedback || this.#choices > 1)
      this.#readSlowly(textOf(text.slice(dataStart, dataEnd)))
    if (this.state !== 'open') return
    if (usageStart >= 0) {
      const report = text.slice(usageStart, usageEnd)
      // One that only names the kind of traffic is no word on the usage.
      if (report.includes('TokenCount')) this.#report = report
    }
    this.#place(this.#edited(event, scan.modelStart, scan.modelEnd), thirds > 0 || hasOtherPart)
    if (scan.texts !== 1 || hasOtherPart || this.#isEnding || this.#choices > 1) return
    if (++this.#shapesLearnt <= shapesMax) this.#shape = shapeOf(text, start, end, scan)
  }

  /**
   * Of a frame in which the scan has found no text, or much under other names: what is of no shape of this wire counts by its bytes; a
   * picture is a piece of the answer, however many tokens it may be.
   */
  #thirdsUnseen(data: ByteText): number {
    return thirdsOfUnknownData(data) || (this.#scan.hasOtherPart ? 1 : 0)
  }

  /** The rare frames that need more than a scan: the first, those with an end in them, those of several candidates. */
  #readSlowly(text: string): void {
    const frame = parseObject(text)
    if (frame === null) {
      this.state = 'broken'
      return
    }
    if (this.#isFirst && typeof frame.responseId === 'string') this.#responseId = frame.responseId
    this.#isFirst = false
    if (frame.error !== undefined && frame.error !== null) {
      this.state = 'failed'
      this.failure = providerErrorOf(frame)
      return
    }
    for (const candidate of listOf(frame.candidates)) {
      const { index, finishReason } = objectOf(candidate)
      const choice = typeof index === 'number' ? index : 0
      if (typeof finishReason === 'string' && finishReason !== '') {
        this.#running.delete(choice)
        this.#finished.add(choice)
      } else if (!this.#finished.has(choice)) this.#running.add(choice)
    }
    const isBlocked = isObject(frame.promptFeedback) && typeof frame.promptFeedback.blockReason === 'string'
    this.#isEnding = isBlocked || (this.#finished.size > 0 && this.#running.size === 0)
  }

  /** @param isPiece there is something of the answer in it */
  #place(frame: ByteText, isPiece: boolean): void {
    if (this.#isEnding) {
      this.#held.push(frame)
      this.#holdsPiece ||= isPiece
      return
    }
    if (!this.#hasGiven && !isPiece) {
      this.#preamble.push(frame)
      return
    }
    this.hasDelivered ||= isPiece || this.#holdsPiece
    if (this.#preamble.length + this.#held.length > 0) {
      this.#out += this.#joined([...this.#preamble, ...this.#held], !this.#hasGiven)
      this.#hasGiven = true
      this.#preamble = []
      this.#held = []
    }
    this.#out += this.#isJsonArray ? this.#joined([frame], !this.#hasGiven) : frame
    this.#hasGiven = true
  }

  /** The frames as they came, or as elements of the array. */
  #joined(frames: readonly ByteText[], isFirst: boolean): ByteText {
    return this.#isJsonArray ? framed(true, frames, isFirst) : frames.join('')
  }

  #edited(event: SseEvent, modelStart: number, modelEnd: number): ByteText {
    const { text } = event
    const start = this.#isJsonArray ? event.dataStart : event.start
    const end = this.#isJsonArray ? event.dataEnd : event.end
    if (modelStart < 0) return text.slice(start, end)
    return text.slice(start, modelStart) + this.#aliasJson + text.slice(modelEnd, end)
  }

  #isReported(): boolean {
    const reported = this.#reported()
    if (!hasCounts(reported)) return false
    return this.#isEnding || this.#count.chunks === 0 || countsOutput(reported)
  }

  #outputReported(): number {
    return usageFromGenerate(this.#reported())?.output ?? 0
  }

  #reported(): JsonObject | null {
    if (this.#report !== this.#reportRead) {
      this.#reportRead = this.#report
      this.#reportObject = parseObject(textOf(this.#report))
    }
    return this.#reportObject
  }

  /** All events of one read from the provider as one write to the client. */
  #taken(): ByteText {
    const out = this.#out
    this.#out = ''
    return out
  }
}

/** A stream whose frames keep changing shape is scanned instead. */
const shapesMax = 8
