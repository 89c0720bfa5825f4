import type { Usage } from '#money/usage.ts'
import type { AnswerStream, StreamState, WireError } from '#wire/stream/answer-stream.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import {
  after,
  endOf,
  inside,
  kindOf,
  kinds,
  member,
  numberAt,
  parseJson,
  startOf,
  stringAt,
  valueAt,
  valueOf,
} from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import type { ProviderError } from '#wire/provider-error.ts'
import { OutputCount, thirdsOfTexts } from '#wire/bound/output-count.ts'
import { providerErrorOf } from '#wire/provider-error.ts'
import { isNull, textAt } from '#wire/request.ts'
import { splice } from '#wire/text/splice.ts'
import { costEdits } from '#wire/stated-cost.ts'
import { SseSplitter } from '#wire/text/sse.ts'
import type { SseEvent } from '#wire/text/sse.ts'
import { thirdsBeside, thirdsOfUnknown, thirdsOutsideData } from '#wire/stream/unknown-frame.ts'
import { isEnd, thirdsInDelta } from './delta-shape.ts'
import type { DeltaShape } from './delta-shape.ts'
import { messagesErrorFrame } from './errors.ts'
import { frameOf, stopFrame } from './frames.ts'
import { modelPlaces } from './model-spans.ts'
import { mergedUsage, usageFromMessages, usageToMessages } from './usage.ts'

/**
 * A messages stream passed on: the same bytes, but for the model's name. Kept back: all that comes before
 * the first piece of an answer, until it is there; and for `tail` the `message_delta` that says why the
 * answer ended, with all after it.
 */
export class MessagesStream implements AnswerStream {
  state: StreamState = 'open'
  failure: ProviderError | null = null
  usage: Usage | null = null
  hasReportedUsage = false
  hasDelivered = false

  readonly #alias: ByteText
  readonly #splitter = new SseSplitter()
  readonly #count = new OutputCount()
  /** The deltas of the block that is open. */
  #shape: DeltaShape | null = null
  #out: ByteText = ''
  #preamble: ByteText = ''
  #held: ByteText = ''
  #hasBegun = false
  #hasFinish = false
  #rawUsage: JsonObject = {}
  #model: string | null = null
  #hasStarted = false
  #hasBlocks = false
  #openBlock: OpenBlock | null = null

  /** @param alias the name that the client asked for */
  constructor(alias: string) {
    this.#alias = byteTextOf(JSON.stringify(alias))
  }

  get textChunks(): number {
    return this.#count.chunks
  }

  get outputTokens(): number {
    return this.#count.tokens
  }

  get outputTokensSure(): number {
    return this.#count.tokensSure
  }

  get inputUsage(): Usage | null {
    return usageFromMessages(this.#rawUsage)
  }

  push(chunk: ByteText): ByteText {
    if (!this.#splitter.push(chunk, this.#onEvent) && this.state === 'open') this.state = 'broken'
    return this.#taken()
  }

  end(): ByteText {
    this.#splitter.end(this.#onEvent)
    if (this.state === 'open' && this.#hasFinish) {
      // It said why it ended; a client waits for the last frame as well.
      this.#held += stopFrame
      this.state = 'done'
    }
    return this.#taken()
  }

  tail(): ByteText {
    return this.#begin() + this.#held
  }

  /**
   * The end of an answer that spend has cut: the open block closed, the usage, and the error that makes
   * official clients throw (design 7). Without a stop reason, so that nobody takes the answer for whole; and
   * a tool's call is left open, so that nobody runs half of it (wire.md T41).
   */
  spendTail(usage: Usage, error: WireError, requestId: string): ByteText {
    const open = this.#openBlock
    return (
      this.#begin() +
      (open?.isText ? frameOf('content_block_stop', { index: open.index }) : '') +
      frameOf('message_delta', {
        delta: { stop_reason: null, stop_sequence: null },
        usage: usageToMessages(usage),
      }) +
      messagesErrorFrame(error, requestId)
    )
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return messagesErrorFrame(error, requestId)
  }

  readonly #onEvent = (event: SseEvent): void => {
    if (this.state !== 'open') return
    const { text, start, end } = event
    if (this.#shape) {
      const thirds = thirdsInDelta(this.#shape, text, start, end)
      if (thirds >= 0) {
        this.#add(thirds, this.#shape.isThinking ? 'thought' : 'words')
        this.#pass(text.slice(start, end))
        return
      }
    }
    if (event.dataEnd > event.dataStart) this.#read(event)
    else {
      this.#add(thirdsOutsideData(text.slice(start, end)), 'words')
      this.#pass(text.slice(start, end))
    }
  }

  /** Frames that need more than a comparison: a handful for each block. */
  #read(event: SseEvent): void {
    const { text, start, end, dataStart, dataEnd } = event
    const json = parseJson(text.slice(dataStart, dataEnd))
    if ('reason' in json) {
      this.state = 'broken'
      return
    }
    const error = member(json, 0, 'error')
    const type = textAt(json, member(json, 0, 'type')) ?? ''
    if (knownFrames.has(type)) this.#add(thirdsBeside(json, 0, frameNames), 'words')
    switch (type) {
      case 'content_block_delta':
        this.#readDelta(json, event)
        break
      case 'content_block_start':
        this.#readBlock(json)
        break
      case 'content_block_stop':
        this.#openBlock = null
        break
      case 'ping':
        break
      case 'message_start':
        return this.#readMessage(json, event)
      case 'message_delta':
        return this.#readEnd(json, event)
      case 'message_stop':
        this.state = 'done'
        this.#held += text.slice(start, end)
        return
      case 'error':
        this.#fail(json)
        return
      default:
        // Servers behind which another one speaks send its error as it is.
        if (error >= 0 && !isNull(json, error)) {
          this.#fail(json)
          return
        }
        this.#add(thirdsOfUnknown(json, 0), 'words')
    }
    this.#pass(text.slice(start, end))
  }

  #fail(json: Json): void {
    this.state = 'failed'
    this.failure = providerErrorOf(valueAt(json, 0))
  }

  #readMessage(json: Json, event: SseEvent): void {
    // A box in the middle that says it twice does no harm. One that puts another answer into this one does:
    // whoever reads both as one would run half a call (wire.md T44).
    if (this.#hasStarted && (this.#hasBlocks || this.#hasBegun)) {
      this.state = 'broken'
      return
    }
    const message = member(json, 0, 'message')
    const usage = member(json, message, 'usage')
    this.#model = textAt(json, member(json, message, 'model')) ?? this.#model
    if (usage >= 0) this.#rawUsage = mergedUsage(this.#rawUsage, valueAt(json, usage))
    // Empty, but for servers that send the whole answer in it.
    const content = member(json, message, 'content')
    if (content >= 0) this.#add(thirdsOfTexts(json, content), 'words')
    // Official clients take no second one.
    if (!this.#hasStarted) this.#pass(this.#named(json, event, message, usage))
    this.#hasStarted = true
  }

  #readEnd(json: Json, event: SseEvent): void {
    const delta = member(json, 0, 'delta')
    const usage = member(json, 0, 'usage')
    if (usage >= 0 && !isNull(json, usage)) {
      this.hasReportedUsage = true
      this.#rawUsage = mergedUsage(this.#rawUsage, valueAt(json, usage))
      this.usage = usageFromMessages(this.#rawUsage)
    }
    if (textAt(json, member(json, delta, 'stop_reason')) !== null) this.#hasFinish = true
    this.#pass(this.#named(json, event, delta, usage))
  }

  #readBlock(json: Json): void {
    const block = member(json, 0, 'content_block')
    const type = textAt(json, member(json, block, 'type'))
    const index = member(json, 0, 'index')
    this.#shape = null
    this.#hasBlocks = true
    this.#openBlock = {
      index: index >= 0 ? numberAt(json, index) : 0,
      isText: type === 'text' || type === 'thinking',
      hasThoughts: false,
    }
    let thirds = 0
    for (const name of textNames) {
      const value = member(json, block, name)
      if (value >= 0) thirds += thirdsOfTexts(json, value)
    }
    if (ownBlocks.has(type ?? '')) thirds += thirdsBeside(json, block, blockNames)
    this.#add(thirds, type === 'thinking' ? 'thought' : type === 'redacted_thinking' ? 'seal' : 'words')
  }

  #readDelta(json: Json, event: SseEvent): void {
    const delta = member(json, 0, 'delta')
    const type = textAt(json, member(json, delta, 'type'))
    if (type === 'citations_delta') return
    // A signature over thoughts that are not shown stands for them; one behind thoughts says nothing more.
    if (type === 'signature_delta' && this.#openBlock?.hasThoughts) return
    if (kindOf(json, delta) !== kinds.object) return
    let thirds = 0
    let texts = 0
    let last = -1
    for (let key = inside(delta), end = after(json, delta); key < end; key = after(json, valueOf(key))) {
      if (stringAt(json, key) === 'type') continue
      last = valueOf(key)
      thirds += thirdsOfTexts(json, last)
      texts++
    }
    this.#add(thirds, type === 'thinking_delta' ? 'thought' : type === 'signature_delta' ? 'seal' : 'words')
    if (texts === 1 && kindOf(json, last) === kinds.string && type !== null)
      this.#learn(json, last, event, type)
  }

  /** The next deltas of this block are likely to be the same around their text. */
  #learn(json: Json, value: Node, { text, start, end, dataStart }: SseEvent, type: string): void {
    const from = dataStart + startOf(json, value) + 1
    const to = dataStart + endOf(json, value)
    if (from - start > shapeBytesMax || !isEnd(text, to, end) || !fastTypes.has(type)) return
    // Cut from the chunk of the network that it is of, which would be kept alive with it.
    this.#shape = {
      before: `${text.slice(start, from)} `.slice(0, -1),
      isThinking: type === 'thinking_delta',
    }
  }

  /** The event with the client's name for the model, and without the provider's price. */
  #named(
    json: Json,
    { text, start, end, dataStart, dataEnd }: SseEvent,
    message: Node,
    usage: Node,
  ): ByteText {
    const places = modelPlaces(json, message, usage, this.#model)
    const edits = [...places.map((span) => ({ ...span, text: this.#alias })), ...costEdits(json, usage)]
    return text.slice(start, dataStart) + splice(json.text, edits) + text.slice(dataEnd, end)
  }

  #add(thirds: number, kind: 'words' | 'thought' | 'seal'): void {
    if (thirds === 0) return
    this.#count.add(thirds)
    if (!this.#hasFinish && kind !== 'seal') this.hasDelivered = true
    if (kind === 'thought' && this.#openBlock) this.#openBlock.hasThoughts = true
    if (!this.#hasBegun) this.#out += this.#begin()
  }

  #begin(): ByteText {
    const preamble = this.#preamble
    this.#preamble = ''
    this.#hasBegun = true
    return preamble
  }

  #pass(frame: ByteText): void {
    if (this.#hasFinish) this.#held += frame
    else if (this.#hasBegun) this.#out += frame
    else this.#preamble += frame
    // Nothing of it can be given to the client, so it must have an end.
    if (this.#held.length + this.#preamble.length > heldBytesMax) this.state = 'broken'
  }

  #taken(): ByteText {
    const out = this.#out
    this.#out = ''
    return out
  }
}

interface OpenBlock {
  readonly index: number
  /** Text that may be closed before it is whole. */
  readonly isText: boolean
  hasThoughts: boolean
}

/** A frame around a few characters is small; a larger one is not worth remembering. */
const shapeBytesMax = 2048
/** As large as one event may be. */
const heldBytesMax = 16 * 1024 * 1024
/** Frames with a piece of an answer, or with what is around one; and what stands in them. */
const knownFrames: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
])
const frameNames: ReadonlySet<string> = new Set([
  'message',
  'content_block',
  'delta',
  'usage',
  'context_management',
])
/** What a model writes of a block, and blocks that it writes; others are results of the provider's tools. */
const textNames = ['text', 'thinking', 'name', 'input', 'data'] as const
const ownBlocks: ReadonlySet<string> = new Set(['text', 'thinking', 'tool_use'])
const blockNames: ReadonlySet<string> = new Set([...textNames, 'citations', 'caller'])

const fastTypes: ReadonlySet<string> = new Set(['text_delta', 'thinking_delta', 'input_json_delta'])
