import type { ProviderError } from '#wire/read-provider-error.ts'
import type { Usage } from '#money/usage-counts.ts'
import { unreadableCall } from '#wire/read-provider-error.ts'
import type { AnswerStream, StreamState } from '#wire/stream/answer-stream-interface.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { thirdsOfSealed } from '#wire/bound/bound-tokens-of-any-text.ts'
import type { AnswerDecoder, AnswerEncoder } from './codec-interface.ts'
import { statedModel, thirdsOfEvent } from './convert-non-streaming-response.ts'
import { isObject, parseValue } from '#wire/text/json-values.ts'
import type { NeutralEvent } from './neutral-format.ts'
import { OutputCount } from '#wire/stream/count-streamed-tokens.ts'
import { UnreadableFrames } from '#wire/stream/omit-unreadable-frames.ts'
import { SseSplitter, type SseEvent } from '#wire/text/split-server-sent-events.ts'
import type { StopFilter } from './stop-sequence-filter.ts'

/** The stream is decoded to neutral events, which are encoded again. */
export class ConvertedStream implements AnswerStream {
  state: StreamState = 'open'
  failure: ProviderError | null = null
  hasDelivered = false
  answeredBy: string | null = null

  readonly #decoder: AnswerDecoder
  readonly #encoder: AnswerEncoder
  readonly #stops: StopFilter | null
  readonly #choices: number
  readonly #count = new OutputCount()
  readonly #unreadable = new UnreadableFrames()
  #isThinking = false
  readonly #splitter = new SseSplitter()
  /** Choices with at least one event. */
  readonly #begun = new Set<number>()
  /** The latest finish of each choice. The encoder gets them at the end, because a provider may continue a choice. */
  readonly #finishes = new Map<number, Finish>()
  /** Whether the answer is complete although the provider wrote fewer choices than requested. */
  #isShort = false
  #told: Usage | null = null
  #hasTold = false
  #hasToldOfFailure = false
  #out: ByteText = ''

  /**
   * @param stops applies stop sequences; null if the gateway applies none
   * @param choices number of requested choices; the answer is complete when all choices have finished
   */
  constructor(decoder: AnswerDecoder, encoder: AnswerEncoder, stops: StopFilter | null, choices: number) {
    this.#decoder = decoder
    this.#encoder = encoder
    this.#stops = stops
    this.#choices = choices
  }

  /** Null before the end of the answer, because an early usage does not count the whole output. */
  get usage(): Usage | null {
    return this.#hasAllFinishes || this.#hasToldOfFailure ? this.#told : null
  }

  get hasReportedUsage(): boolean {
    return (this.#hasAllFinishes || this.#hasToldOfFailure) && this.#hasTold
  }

  get inputUsage(): Usage | null {
    return this.#told ?? this.#decoder.inputUsage ?? null
  }

  get isFailing(): boolean {
    return this.state === 'open' && this.#decoder.isFailing === true
  }

  get isStopped(): boolean {
    return this.#stops !== null && this.#stops.stoppedCount >= this.#choices
  }

  get isFinished(): boolean {
    return this.state === 'open' && !this.isFailing && this.#hasAllFinishes
  }

  get droppedFrames(): number {
    return this.#unreadable.dropped
  }

  get textChunks(): number {
    return this.#count.chunks
  }

  /** If the provider's own count is higher, use it, because it includes hidden reasoning. */
  get outputTokens(): number {
    return Math.max(this.#count.tokens, this.#told?.output ?? 0)
  }

  get outputTokensSure(): number {
    return Math.max(this.#count.tokensSure, this.#told?.output ?? 0)
  }

  push(chunk: ByteText): ByteText {
    if (!this.#splitter.push(chunk, this.#onEvent) && this.state === 'open') this.state = 'broken'
    return this.#taken()
  }

  end(): ByteText {
    this.#splitter.end(this.#onEvent)
    if (this.state === 'open') this.#close(false)
    if (this.state === 'open' && this.droppedFrames > 0) this.state = 'broken'
    return this.#taken()
  }

  tail(usage: Usage): ByteText {
    return this.#encoder.tail(usage)
  }

  spendTail(usage: Usage, error: WireError, requestId: string): ByteText {
    return this.#encoder.spendTail(usage, error, requestId)
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return this.#encoder.errorTail(error, requestId)
  }

  readonly #onEvent = ({ text, dataStart, dataEnd }: SseEvent): void => {
    if (this.state !== 'open' || dataEnd === dataStart) return
    const data = textOf(text.slice(dataStart, dataEnd))
    if (data === '[DONE]') return this.#close(true)
    let frame: unknown
    try {
      frame = parseValue(data)
    } catch {
      if (!this.#unreadable.mayDrop(data, this.hasDelivered)) this.state = 'broken'
      return
    }
    // A value that is not an object is not a frame of any wire, so it is skipped like an unknown event
    // (docs/reference/wires.md "Unknown events").
    if (!isObject(frame)) return
    this.answeredBy = statedModel(frame) ?? this.answeredBy
    for (const event of this.#decoder.push(frame)) this.#take(event)
    if (this.#decoder.isOver && this.state === 'open') this.#close(true)
  }

  /** @param isMarked whether the provider sent its end marker, and did not just close the stream */
  #close(isMarked: boolean): void {
    for (const event of this.#decoder.end(isMarked)) this.#take(event)
    // Some servers ignore the number of choices, and Google blocks a prompt for all choices together.
    this.#isShort =
      (isMarked || this.#decoder.isOver) &&
      this.#finishes.size > 0 &&
      this.#finishes.size === this.#begun.size
    // An answer without a finish reason was cut off (docs/reference/conversions.md "Streams without a finish reason").
    if (this.state === 'open' && this.#hasAllFinishes) this.#complete()
  }

  #complete(): void {
    this.state = 'done'
    for (const finish of this.#finishes.values()) this.#out += this.#encoder.write(finish)
  }

  get #hasAllFinishes(): boolean {
    return this.#isShort || this.#finishes.size >= this.#choices
  }

  #take(event: NeutralEvent): void {
    if (this.state !== 'open') return
    if (this.#stops === null) return this.#write(event)
    for (const passed of this.#stops.pass(event)) this.#write(passed)
    // After a stop sequence, the client receives nothing more, so further output of the provider would only cost money.
    if (this.isStopped) this.#complete()
  }

  #write(event: NeutralEvent): void {
    if ('choice' in event) this.#begun.add(event.choice)
    switch (event.kind) {
      case 'usage':
        this.#hasTold = true
        this.#told = event.usage
        break
      case 'error':
        this.failure = event.error
        this.state = 'failed'
        if (event.usage !== undefined) {
          this.#hasTold = true
          this.#told = event.usage
          this.#hasToldOfFailure = true
        }
        return
      case 'reasoning':
        this.#isThinking = true
        break
      case 'signature':
        // If the reasoning was shown, its signature adds no output.
        if (!this.#isThinking) this.#count.add('sealed', thirdsOfSealed(event.signature.data.length))
        this.#isThinking = false
        break
      case 'finish':
        this.#finishes.set(event.choice, event)
        // The answer must fail, because no other wire has a finish reason that means an unreadable call. With a
        // successful finish reason, the client would run the tool calls that it can read.
        if (event.reason === 'bad_tool_call') {
          this.failure = unreadableCall
          this.state = 'failed'
          return
        }
        return
      default:
    }
    const thirds = thirdsOfEvent(event)
    // Count reasoning separately from other output. Some providers show only a summary, whose length does not show how
    // many tokens the model wrote.
    if (thirds > 0) this.#count.add(event.kind === 'reasoning' ? 'reasoned' : 'written', thirds)
    const out = this.#encoder.write(event)
    this.#out += out
    if (out !== '' && pieces.has(event.kind)) this.hasDelivered = true
  }

  #taken(): ByteText {
    const out = this.#out
    this.#out = ''
    return out
  }
}

type Finish = Extract<NeutralEvent, { readonly kind: 'finish' }>

/** The kinds of events that contain a visible part of the answer. */
const pieces: ReadonlySet<NeutralEvent['kind']> = new Set([
  'text',
  'refusal',
  'reasoning',
  'tool_call',
  'arguments',
  'tool_call_end',
])
