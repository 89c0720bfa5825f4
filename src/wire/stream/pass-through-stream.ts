import type { Usage } from '#money/usage-counts.ts'
import { OutputCount, type OutputKind } from './count-streamed-tokens.ts'
import type { ProviderError } from '#wire/read-provider-error.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { splice } from '#wire/text/apply-edits.ts'
import { eventOf, SseSplitter, type SseEvent } from '#wire/text/split-server-sent-events.ts'
import type { AnswerStream, StreamState } from './answer-stream-interface.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { answerLimits, type Frame, type FrameReader } from './frame-reader-interface.ts'
import { FrameShape } from './recognize-repeated-frame-shapes.ts'
import { thirdsOutsideData } from './count-tokens-by-bytes.ts'
import { UnreadableFrames } from './omit-unreadable-frames.ts'

/**
 * Forwards a stream to a client of the same wire, with only the wire's edits. Everything before the first piece of the
 * answer is withheld, so that an error can still become an HTTP status. The end is withheld until `tail` is called.
 */
export class PassThroughStream implements AnswerStream {
  state: StreamState = 'open'
  failure: ProviderError | null = null
  isFailing = false
  hasDelivered = false

  readonly #facts: FrameReader
  readonly #bare: FrameReader['bare']
  readonly #splitter = new SseSplitter()
  readonly #count = new OutputCount()
  readonly #unreadable = new UnreadableFrames()
  /**
   * Shapes of recent frames. Several shapes are needed, because frames of several choices may alternate, and thoughts
   * have another shape than text.
   */
  #learned: Learned[] = []
  #likely: Learned | null = null
  #shapesInVain = 0
  #preamble: ByteText = ''
  #out: ByteText = ''
  #held: ByteText = ''
  #hasBegun = false
  #isClosing = false
  #holdsShown = false

  constructor(facts: FrameReader) {
    this.#facts = facts
    this.#bare = facts.bare
  }

  get usage(): Usage | null {
    return this.#facts.usage
  }

  get inputUsage(): Usage | null {
    return this.#facts.inputUsage ?? null
  }

  get hasReportedUsage(): boolean {
    return this.#facts.hasReportedUsage
  }

  get droppedFrames(): number {
    return this.#unreadable.dropped
  }

  get answeredBy(): string | null {
    return this.#facts.answeredBy
  }

  get responseId(): string | null {
    return this.#facts.responseId ?? null
  }

  get hasFailed(): boolean {
    return this.#facts.hasFailed ?? false
  }

  get toolUses(): number {
    return this.#facts.toolUses ?? 0
  }

  get isFinished(): boolean {
    return this.state === 'open' && !this.isFailing && this.#facts.ending(false) !== null
  }

  get textChunks(): number {
    return this.#count.chunks
  }

  get outputTokens(): number {
    return Math.max(this.#count.tokens, this.#facts.outputReported ?? 0)
  }

  get outputTokensSure(): number {
    return Math.max(this.#count.tokensSure, this.#facts.outputReported ?? 0)
  }

  push(chunk: ByteText): ByteText {
    const rest = this.#passKnown(chunk)
    if (rest !== '' && !this.#splitter.push(rest, this.#onEvent) && this.state === 'open')
      this.state = 'broken'
    return this.#taken()
  }

  /**
   * Forwards the events at the beginning of a network chunk that have the shape of the previous frame. Most chunks of a
   * model's text consist of such events, whose ends are found by comparing them with the shape.
   * @returns the rest of the chunk
   */
  #passKnown(chunk: ByteText): ByteText {
    const like = this.#likely
    if (like?.shape.isOneEvent !== true || this.#bare || !this.#splitter.isBetweenEvents) return chunk
    if (this.state !== 'open' || this.isFailing) return chunk
    const { shape } = like
    let at = 0
    while (at < chunk.length) {
      const end = shape.endOf(chunk, at, chunk.length)
      if (end < 0) return at === 0 ? chunk : chunk.slice(at)
      this.#out += this.#pass(like, chunk, at, end)
      if (like.onLike) like.onLike(shape, shape.thirds, eventOf(chunk, at, end))
      at = end
    }
    return ''
  }

  end(): ByteText {
    const wasOpen = this.state === 'open'
    this.#isClosing = true
    this.#splitter.end(this.#onEvent, this.#facts.endsByClosing ? '\r\n' : '\n')
    if (this.isFailing) this.#fail()
    else if (this.state === 'open') {
      this.#close(false)
      if (this.state === 'open' && this.droppedFrames > 0) this.state = 'broken'
    } else if (this.state === 'broken' && wasOpen && this.#facts.endsByClosing) this.state = 'open'
    return this.#taken()
  }

  tail(): ByteText {
    const rest = this.#preamble + this.#held
    return rest + (this.#facts.closing?.(this.#isFirst(rest)) ?? '')
  }

  spendTail(usage: Usage, error: WireError, requestId: string): ByteText {
    const rest = this.#preamble
    return rest + this.#facts.spendTail(usage, error, requestId, this.#isFirst(rest))
  }

  errorTail(error: WireError, requestId: string): ByteText {
    const rest = this.#preamble
    return rest + this.#facts.errorTail(error, requestId, this.#isFirst(rest))
  }

  #isFirst(before: ByteText): boolean {
    return !this.#hasBegun && before === ''
  }

  readonly #onEvent = (event: SseEvent): void => {
    // Data after the end of an answer, which may arrive much later, is neither needed nor forwarded.
    if (this.state !== 'open') return
    const { text, dataStart, dataEnd } = event
    const hasData = dataEnd > dataStart
    if (this.isFailing) {
      if (hasData) this.#readAfterFailure(text.slice(dataStart, dataEnd))
      return
    }
    if (!hasData) {
      this.#passOther(text.slice(event.start, event.end))
      return
    }
    const bare = this.#bare
    const start = bare ? dataStart : event.start
    const end = bare ? dataEnd : event.end
    const likely = this.#likely
    if (likely && this.#passLike(likely, event, start, end)) return
    for (const like of this.#learned) if (like !== likely && this.#passLike(like, event, start, end)) return
    if (dataEnd - dataStart === marker.length && text.startsWith(marker, dataStart)) this.#close(true)
    else this.#read(text.slice(start, end), dataStart - start, dataEnd - start)
  }

  /** @returns whether the frame has that shape and was forwarded */
  #passLike(like: Learned, event: SseEvent, start: number, end: number): boolean {
    const { shape, onLike } = like
    const { text } = event
    if (shape.endOf(text, start, end) !== end) return false
    this.#likely = like
    const frame = this.#pass(like, text, start, end)
    if (onLike) onLike(shape, shape.thirds, event)
    const bare = this.#bare
    this.#out += bare ? bare(frame, false) : frame
    return true
  }

  /** Counts a frame that has just been recognized. @returns the frame for the client */
  #pass(like: Learned, text: ByteText, start: number, end: number): ByteText {
    const { shape, kind } = like
    if (!like.isMet) {
      like.isMet = true
      this.#shapesInVain = 0
    }
    if (shape.thirds > 0) this.#count.add(kind, shape.thirds)
    return shape.edited(text, start, end)
  }

  /** Parses a frame that matches no remembered shape. */
  #read(text: ByteText, dataStart: number, dataEnd: number): void {
    const data = text.slice(dataStart, dataEnd)
    // The space makes the engine copy the slice of the network chunk, because parsing the slice itself takes a third
    // longer.
    const json = parseJson(text.length > shapeBytesMax ? data : `${data} `, answerLimits)
    if ('reason' in json) {
      // Never omit a frame that a lost connection has cut off.
      if (this.#isClosing || !this.#unreadable.mayDrop(data, this.hasDelivered)) this.state = 'broken'
      return
    }
    const mayLearn = this.#shapesInVain < shapesInVainMax && text.length <= shapeBytesMax
    const frame = this.#facts.read(json, mayLearn)
    if (frame.place === 'broken') {
      this.state = 'broken'
      return
    }
    if (frame.place === 'failed') {
      this.failure = frame.failure
      if (frame.mayTellMore) this.isFailing = true
      else this.state = 'failed'
      return
    }
    if (frame.thirds > 0) this.#count.add(frame.kind ?? 'written', frame.thirds)
    if (frame.sealThirds) this.#count.add('sealed', frame.sealThirds)
    if (frame.isResumed) this.#letGo()
    const { edits = [], holes } = frame
    const edited = text.slice(0, dataStart) + splice(data, edits) + text.slice(dataEnd)
    const bare = this.#bare
    this.#give(bare ? bare(edited, this.#isFirst(this.#preamble + this.#held)) : edited, frame)
    if (frame.isLast) this.state = 'done'
    else if (this.#preamble.length + this.#held.length > heldBytesMax) this.state = 'broken'
    if (frame.place === 'end') {
      this.#learned = []
      this.#likely = null
    }
    // Learn only frames of the answer, because a recognized frame is sent immediately.
    if (frame.place !== 'answer' || !holes || !mayLearn) return
    this.#shapesInVain++
    const shape = new FrameShape(text, dataStart, holes, edits)
    if (shape.match(text, 0, text.length) !== frame.thirds) return
    this.#makeRoom()
    this.#likely = { shape, kind: frame.kind ?? 'written', onLike: frame.onLike ?? null, isMet: false }
    this.#learned.push(this.#likely)
  }

  /**
   * Makes room for another shape. If no further shape can be learned after this shape, first removes every shape that
   * never matched again. If the list is still full, removes the newest shape if it never matched again, and otherwise
   * the oldest.
   */
  #makeRoom(): void {
    if (this.#shapesInVain === shapesInVainMax) this.#learned = this.#learned.filter(({ isMet }) => isMet)
    if (this.#learned.length < shapesMax) return
    if (this.#learned.at(-1)?.isMet) this.#learned.shift()
    else this.#learned.pop()
  }

  /**
   * Reads the frame after an error event, in which OpenAI sends the failed response. This frame may arrive in the same
   * network read as the error or later, and the charge must be the same.
   */
  #readAfterFailure(data: ByteText): void {
    const json = parseJson(data, answerLimits)
    if (!('reason' in json)) this.#facts.readAfterFailure?.(json)
    this.#fail()
  }

  #fail(): void {
    this.isFailing = false
    this.state = 'failed'
  }

  #passOther(event: ByteText): void {
    // If a stream has no end marker, its last line may be incomplete.
    if (this.#bare || (this.#isClosing && this.#facts.endsByClosing)) return
    const thirds = thirdsOutsideData(event)
    if (thirds > 0) this.#count.add('written', thirds)
    const isShown = thirds > 0
    this.#give(event, { place: this.#held !== '' ? 'end' : isShown ? 'answer' : 'beside', isShown })
  }

  #give(frame: ByteText, { place, isShown }: Pick<Frame, 'place' | 'isShown'>): void {
    if (place === 'nowhere') return
    if (place === 'end') {
      this.#held += frame
      this.#holdsShown ||= isShown
    } else if (place === 'answer' || this.#hasBegun) {
      this.#out += this.#preamble + frame
      this.#preamble = ''
      this.#hasBegun = true
      this.hasDelivered ||= isShown
    } else this.#preamble += frame
  }

  #letGo(): void {
    const held = this.#held
    this.#held = ''
    this.#give(held, { place: this.#holdsShown ? 'answer' : 'beside', isShown: this.#holdsShown })
    this.#holdsShown = false
  }

  #close(isMarked: boolean): void {
    const ending = this.#facts.ending(isMarked)
    if (ending === null) return
    this.#held += ending
    this.state = 'done'
  }

  #taken(): ByteText {
    const out = this.#out
    this.#out = ''
    return out
  }
}

interface Learned {
  readonly shape: FrameShape
  readonly kind: OutputKind
  readonly onLike: NonNullable<Frame['onLike']> | null
  /** Whether a later frame had the same shape. */
  isMet: boolean
}

const marker = '[DONE]'
/** A usual frame has only a few characters of text, and is much smaller. */
const shapeBytesMax = 4096
/** Each shape that does not match costs a tenth of a microsecond per frame. */
const shapesMax = 4
/**
 * Maximum number of shapes learned in a row that never match a later frame. More such shapes mean that the frames keep
 * changing shape (logprobs, many alternating choices).
 */
const shapesInVainMax = 8
/** Maximum size of all withheld frames of a stream, which stay in memory. */
const heldBytesMax = 16 * 1024 * 1024
