import type { Usage } from '#money/usage-counts.ts'
import { providerErrorOf, type ProviderError } from '#wire/read-provider-error.ts'
import type { ContainerIds } from '#wire/types-of-replaced-ids.ts'
import { isNull, textAt } from '#wire/wire-request.ts'
import type { ToolKind } from '#wire/kinds-of-provider-tools.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { brokenFrame } from '#wire/stream/frame-reader-interface.ts'
import type { BrokenFrame, FailedFrame, Frame, FrameReader } from '#wire/stream/frame-reader-interface.ts'
import { holeAt, type Hole } from '#wire/stream/recognize-repeated-frame-shapes.ts'
import { thirdsBeside, thirdsOfEveryText, thirdsOfUnknown } from '#wire/stream/count-tokens-by-bytes.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import {
  after,
  endOf,
  inside,
  kindOf,
  kinds,
  member,
  numberAt,
  nameAt,
  valueAt,
  valueOf,
} from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { codeFileEdits } from './files-created-by-code.ts'
import { messagesErrorFrame, messagesSpendFrames } from './errors.ts'
import { stopFrame } from './write-frames.ts'
import { editsOf } from './non-streaming-response.ts'
import { hasContainer, kindOfUse, noRun, withSession, type RunFacts } from './code-execution-facts.ts'
import { mergedUsage, usageFromMessages } from './usage.ts'

/**
 * The client gets the alias as the model name, and does not get the provider's price. A stream ends with the
 * `message_delta` that has the stop reason, and everything after this frame.
 */
export class MessagesFrameReader implements FrameReader {
  usage: Usage | null = null
  hasReportedUsage = false
  /** Number of uses of the tool with the most uses, because each tool has its own limit. */
  toolUses = 0

  readonly #alias: string
  readonly #run: RunFacts
  readonly #containers: ContainerIds | undefined
  #rawUsage: JsonObject = {}
  #model: string | null = null
  #hasStarted = false
  #hasAnswer = false
  #hasFinish = false
  #openBlock: OpenBlock | null = null
  #usesOf: Map<ToolKind, number> | null = null
  #hasContainer = false

  /** @param containers converts container IDs; absent if the provider account has no containers */
  constructor(alias: string, run: RunFacts = noRun, containers?: ContainerIds) {
    this.#alias = alias
    this.#run = run
    this.#containers = containers
  }

  get answeredBy(): string | null {
    return this.#model
  }

  get inputUsage(): Usage | null {
    return usageFromMessages(this.#rawUsage)
  }

  read(json: Json): Frame | FailedFrame | BrokenFrame {
    const type = textAt(json, member(json, 0, 'type')) ?? ''
    const beside = knownFrames.has(type) ? thirdsBeside(json, 0, frameNames) : 0
    switch (type) {
      case 'content_block_delta':
        return this.#delta(json, beside)
      case 'content_block_start':
        return this.#block(json, beside)
      case 'content_block_stop':
        this.#openBlock = null
        return this.#frame(beside)
      case 'ping':
        return this.#frame(beside)
      case 'message_start':
        return this.#start(json, beside)
      case 'message_delta':
        return this.#finish(json, beside)
      case 'message_stop':
        return { place: 'end', isShown: false, thirds: beside, isLast: true }
      default: {
        // A proxy forwards the error of the server behind it unchanged.
        const error = member(json, 0, 'error')
        if (type === 'error' || (error >= 0 && !isNull(json, error)))
          return { place: 'failed', failure: failureIn(json) }
        return this.#frame(thirdsOfUnknown(json, 0))
      }
    }
  }

  /** If the stop reason was sent, the answer is complete, but clients also wait for the last frame. */
  ending(): ByteText | null {
    return this.#hasFinish ? stopFrame : null
  }

  spendTail(usage: Usage, error: WireError, requestId: string): ByteText {
    const open = this.#openBlock
    return messagesSpendFrames(open?.isText ? open.index : null, usage, error, requestId)
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return messagesErrorFrame(error, requestId)
  }

  #frame(thirds: number, more: Partial<Frame> = {}): Frame {
    if (thirds > 0) this.#hasAnswer = true
    const place = this.#hasFinish ? 'end' : thirds > 0 ? 'answer' : 'beside'
    return { place, isShown: thirds > 0, thirds, ...more }
  }

  #start(json: Json, beside: number): Frame | BrokenFrame {
    // A repeated first frame does no harm before the first part of the answer. After a part of the answer, a second
    // `message_start` means that a proxy has mixed another response into the stream. A client that reads both responses
    // as one could run an incomplete tool call (docs/reference/wires.md "Streams on the messages wire").
    if (this.#hasStarted && this.#hasAnswer) return brokenFrame
    const message = member(json, 0, 'message')
    const usage = member(json, message, 'usage')
    const model = this.#model
    this.#model = textAt(json, member(json, message, 'model')) ?? model
    if (usage >= 0) this.#rawUsage = mergedUsage(this.#rawUsage, valueAt(json, usage))
    // The message is empty, except on servers that send the complete response in `message_start`.
    const content = member(json, message, 'content')
    const thirds = beside + (content < 0 ? 0 : thirdsOfEveryText(json, content))
    const isFirst = !this.#hasStarted
    this.#hasStarted = true
    this.#hasContainer ||= hasContainer(json, message)
    // Official clients do not accept a second `message_start`.
    return this.#frame(
      thirds,
      isFirst
        ? { edits: editsOf(json, message, usage, this.#model, this.#alias, this.#containers) }
        : { place: 'nowhere' },
    )
  }

  #finish(json: Json, beside: number): Frame {
    const delta = member(json, 0, 'delta')
    const usage = member(json, 0, 'usage')
    this.#hasContainer ||= hasContainer(json, delta)
    if (usage >= 0 && !isNull(json, usage)) {
      this.hasReportedUsage = true
      this.#rawUsage = mergedUsage(this.#rawUsage, valueAt(json, usage))
      this.usage = withSession(usageFromMessages(this.#rawUsage), this.#run, this.#ranCode)
    }
    if (textAt(json, member(json, delta, 'stop_reason')) !== null) this.#hasFinish = true
    return this.#frame(beside, {
      edits: editsOf(json, delta, usage, this.#model, this.#alias, this.#containers),
    })
  }

  #block(json: Json, beside: number): Frame {
    const block = member(json, 0, 'content_block')
    const type = textAt(json, member(json, block, 'type')) ?? ''
    const index = member(json, 0, 'index')
    if (type === 'server_tool_use') this.#noteUse(textAt(json, member(json, block, 'name')) ?? '')
    else if (type === 'mcp_tool_use') this.#noteUse('mcp')
    let thirds = beside
    for (const name of textNames) {
      const value = member(json, block, name)
      if (value >= 0) thirds += thirdsOfEveryText(json, value)
    }
    if (ownBlocks.has(type)) thirds += thirdsBeside(json, block, blockNames)
    this.#hasAnswer = true
    this.#openBlock = {
      index: index >= 0 ? numberAt(json, index) : 0,
      isText: type === 'text' || type === 'thinking',
      hasThoughts: type === 'thinking' && thirds > 0,
    }
    if (type === 'redacted_thinking') return this.#frame(thirds, { isShown: false })
    const edits = this.#containers === undefined ? [] : codeFileEdits(json, block, this.#containers)
    return this.#frame(thirds, edits.length === 0 ? {} : { edits })
  }

  #delta(json: Json, beside: number): Frame {
    const delta = member(json, 0, 'delta')
    const type = textAt(json, member(json, delta, 'type'))
    // A signature of hidden thoughts counts as output in place of the thoughts. A signature after shown thoughts adds
    // no output.
    const isCounted =
      type !== 'citations_delta' && !(type === 'signature_delta' && this.#openBlock?.hasThoughts)
    if (!isCounted || kindOf(json, delta) !== kinds.object) return this.#frame(beside)
    const texts: Node[] = []
    for (let key = inside(delta), end = after(json, delta); key < end; key = after(json, valueOf(key)))
      if (nameAt(json, key) !== 'type') texts.push(valueOf(key))
    const thirds = texts.reduce((sum, text) => sum + thirdsOfEveryText(json, text), beside)
    if (type === 'signature_delta') return this.#frame(thirds, { isShown: beside > 0 })
    const isThinking = type === 'thinking_delta'
    if (isThinking) this.#noteThoughts(thirds)
    if (type === null || !fastTypes.has(type)) return this.#frame(thirds)
    return this.#frame(thirds, {
      holes: [...texts.map((text) => holeAt(json, text, 'text')), paddingBehind(json, delta)],
      ...(isThinking && { onLike: (_shape, thought) => this.#noteThoughts(thought) }),
    })
  }

  get #ranCode(): boolean {
    return this.#hasContainer || this.#usesOf?.has('codeExecution') === true
  }

  #noteUse(name: string): void {
    // Searches for tools, and code that filters search results, have no limit and no price.
    const kind = kindOfUse(name)
    if (kind === null || (kind === 'codeExecution' && !this.#run.runsCode)) return
    this.#usesOf ??= new Map()
    const uses = (this.#usesOf.get(kind) ?? 0) + 1
    this.#usesOf.set(kind, uses)
    this.toolUses = Math.max(this.toolUses, uses)
  }

  #noteThoughts(thirds: number): void {
    if (thirds > 0 && this.#openBlock) this.#openBlock.hasThoughts = true
  }
}

interface OpenBlock {
  readonly index: number
  /** Only a block of text may be closed before the text is complete. */
  readonly isText: boolean
  hasThoughts: boolean
}

function failureIn(json: Json): ProviderError | null {
  return providerErrorOf(valueAt(json, 0))
}

/** Anthropic pads a frame with a varying number of spaces after its last member. */
function paddingBehind(json: Json, last: Node): Hole | null {
  const [start, end] = [endOf(json, last), endOf(json, 0) - 1]
  return /^ *$/.test(json.text.slice(start, end)) ? { kind: 'spaces', start, end } : null
}

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
/** Members and blocks that a model writes. All other blocks are results of the provider's tools. */
const textNames = ['text', 'thinking', 'name', 'input', 'data'] as const
const ownBlocks: ReadonlySet<string> = new Set(['text', 'thinking', 'tool_use'])
const blockNames: ReadonlySet<string> = new Set([...textNames, 'citations', 'caller'])

const fastTypes: ReadonlySet<string> = new Set(['text_delta', 'thinking_delta', 'input_json_delta'])
