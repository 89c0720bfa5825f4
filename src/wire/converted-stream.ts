import type { Usage } from '#money/usage.ts'
import type { AnswerStream, StreamState, WireError } from './answer.ts'
import { textOf } from './byte-text.ts'
import type { ByteText } from './byte-text.ts'
import { thirdsOfText } from './count.ts'
import type { AnswerDecoder, AnswerEncoder } from './format.ts'
import { isObject, parseValue } from './json-values.ts'
import type { NeutralEvent, ProviderError } from './neutral.ts'
import { OutputCount } from './output-count.ts'
import { SseSplitter } from './sse.ts'
import type { SseEvent } from './sse.ts'
import type { StopFilter } from './stop-filter.ts'

/** A provider's stream in one wire on its way to a client of another: read into events, written again. */
export class ConvertedStream implements AnswerStream {
  state: StreamState = 'open'
  failure: ProviderError | null = null

  readonly #decoder: AnswerDecoder
  readonly #encoder: AnswerEncoder
  readonly #stops: StopFilter | null
  readonly #choices: number
  readonly #written = new OutputCount()
  /** Apart, since some providers show a summary of what was thought: no evidence of so many tokens. */
  readonly #reasoned = new OutputCount()
  readonly #splitter = new SseSplitter()
  #finished = 0
  /** The provider's last word so far. */
  #told: Usage | null = null
  #hasTold = false
  /** It said what it has used beside the error that ends it. */
  #hasToldOfFailure = false
  #out: ByteText = ''

  /**
   * @param stops where the provider's wire has no stop sequences
   * @param choices how many the answer has: it is whole when each has finished
   */
  constructor(decoder: AnswerDecoder, encoder: AnswerEncoder, stops: StopFilter | null, choices: number) {
    this.#decoder = decoder
    this.#encoder = encoder
    this.#stops = stops
    this.#choices = choices
  }

  /** What it said before its end is no count of the output: some say 1 in the first frame. */
  get usage(): Usage | null {
    return this.#isFinished || this.#hasToldOfFailure ? this.#told : null
  }

  get hasReportedUsage(): boolean {
    return (this.#isFinished || this.#hasToldOfFailure) && this.#hasTold
  }

  get inputUsage(): Usage | null {
    return this.#told
  }

  get isStopped(): boolean {
    return this.#stops !== null && this.#stops.stoppedCount >= this.#choices
  }

  get textChunks(): number {
    return this.#written.chunks + this.#reasoned.chunks
  }

  get outputTokens(): number {
    return this.#written.tokens + this.#reasoned.tokens
  }

  get outputTokensSure(): number {
    return this.#written.tokensSure
  }

  push(chunk: ByteText): ByteText {
    if (!this.#splitter.push(chunk, this.#onEvent) && this.state === 'open') this.state = 'broken'
    return this.#taken()
  }

  end(): ByteText {
    this.#splitter.end(this.#onEvent)
    if (this.state === 'open') this.#close()
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
    if (data === '[DONE]') return this.#close()
    let frame: unknown
    try {
      frame = parseValue(data)
    } catch {
      this.state = 'broken'
      return
    }
    // What is no object is no frame of any wire; like an unknown event it is passed over (wire.md 0.10).
    if (!isObject(frame)) return
    for (const event of this.#decoder.push(frame)) this.#take(event)
    if (this.#decoder.isOver && this.state === 'open') this.#close()
  }

  #close(): void {
    for (const event of this.#decoder.end()) this.#take(event)
    // An answer without a finish was cut, whatever its stream says (wire.md 8).
    if (this.state === 'open' && this.#isFinished) this.state = 'done'
  }

  get #isFinished(): boolean {
    return this.#finished >= this.#choices
  }

  #take(event: NeutralEvent): void {
    if (this.state !== 'open') return
    if (this.#stops === null) return this.#write(event)
    for (const passed of this.#stops.pass(event)) this.#write(passed)
    // Nothing more will be shown, and what the provider still writes would be paid for.
    if (this.isStopped) this.state = 'done'
  }

  #write(event: NeutralEvent): void {
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
      case 'text':
      case 'refusal':
      case 'arguments':
        if (event.text !== '') this.#written.add(thirdsOfText(event.text))
        break
      case 'reasoning':
        if (event.text !== '') this.#reasoned.add(thirdsOfText(event.text))
        break
      case 'tool_call':
        this.#written.add(thirdsOfText(event.name))
        break
      case 'finish':
        this.#finished++
        break
      case 'start':
      case 'seal':
      case 'tool_call_end':
      case 'citation':
      case 'logprobs':
      case 'lost':
        break
      default:
        event satisfies never
    }
    this.#out += this.#encoder.write(event)
  }

  #taken(): ByteText {
    const out = this.#out
    this.#out = ''
    return out
  }
}
