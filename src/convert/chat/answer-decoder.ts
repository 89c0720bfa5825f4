import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { providerErrorOf, unnamedError, type ProviderError } from '#wire/read-provider-error.ts'
import type { AnswerDecoder, DecoderOptions } from '#convert/codec-interface.ts'
import { isAbsent, isObject, listOf, numberOrNull, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { FinishReason, NeutralEvent } from '#convert/neutral-format.ts'
import { appendAll } from '#convert/append-all.ts'
import { ChatToolCalls } from './assemble-streamed-tool-calls.ts'
import { ReasoningDetails } from './reasoning-details.ts'
import { SourcesOutsideMessage } from './sources-outside-message.ts'
import { textOfPieces } from './text-of-pieces.ts'
import { ExecutedSearches, executedSearches } from '#wire/chat/groq-executed-tools.ts'
import { reportedUsage, usageFromChat, withSearches } from '#wire/chat/usage.ts'

/** Converts chunks of a chat-completions stream to events (docs/reference/wires.md "Streams on the chat wire"). */
export class ChatDecoder implements AnswerDecoder {
  /** Always false, because `[DONE]`, which ends a stream, is not JSON and is handled elsewhere. */
  readonly isOver = false
  readonly #options: DecoderOptions
  readonly #choices = new Map<number, ChatChoice>()
  readonly #searches = new ExecutedSearches()
  readonly #sources = new SourcesOutsideMessage()
  /** Choices with output. */
  readonly #begun = new Set<number>()
  #hasStarted = false
  #hasFailed = false
  #hasUsage = false

  constructor(options: DecoderOptions) {
    this.#options = options
  }

  push(chunk: JsonObject): readonly NeutralEvent[] {
    if (this.#hasFailed) return []
    const error = errorOf(chunk)
    if (error) {
      this.#hasFailed = true
      // OpenRouter's error chunk also contains the usage (docs/reference/wires.md "Streams on the chat wire").
      return [
        { kind: 'error', error, ...(!isAbsent(chunk.usage) && { usage: usageFromChat(chunk.usage, null) }) },
      ]
    }
    const events: NeutralEvent[] = []
    if (!this.#hasStarted) {
      this.#hasStarted = true
      events.push({ kind: 'start', id: textOrNull(chunk.id) || null })
    }
    for (const item of listOf(chunk.choices)) {
      if (!isObject(item)) continue
      const index = numberOrNull(item.index) ?? 0
      const delta = this.#deltaOf(item, index)
      const before = events.length
      this.#choice(index).push(item, delta, events)
      if (events.length > before) this.#begun.add(index)
      this.#searches.read(index, objectOf(delta).executed_tools)
    }
    this.#sources.read(chunk)
    this.#sources.addTo(events)
    const usage = reportedUsage(chunk)
    // Some servers repeat the usage in every chunk, so the last usage counts.
    if (!isAbsent(usage)) {
      this.#hasUsage = true
      const counted = usageFromChat(usage, textOrNull(chunk.service_tier))
      events.push({ kind: 'usage', usage: withSearches(counted, this.#searches.count) })
    }
    return events
  }

  /**
   * Some servers never send a finish reason (recorded at Snowflake). If both a usage and the end marker have arrived,
   * the answer is complete. The end marker alone proves nothing, because proxies also write the marker after a broken
   * stream.
   */
  end(isMarked = false): readonly NeutralEvent[] {
    if (this.#hasFailed) return []
    const events: NeutralEvent[] = []
    for (const choice of this.#choices.values()) choice.endContinued(events)
    if (!isMarked || !this.#hasUsage) return events
    if (this.#choices.size === 0) this.#choice(0)
    for (const choice of this.#choices.values()) choice.end(events)
    this.#sources.addTo(events)
    return events
  }

  /**
   * Some servers send the complete answer in one chunk, as a message. Others repeat the answer as a message at the end of
   * a stream (docs/reference/wires.md "Streams on the chat wire").
   */
  #deltaOf({ delta, message }: JsonObject, index: number): JsonValue {
    return isObject(delta) || !isObject(message) || this.#begun.has(index) ? delta : deltaOfMessage(message)
  }

  #choice(index: number): ChatChoice {
    const known = this.#choices.get(index)
    if (known) return known
    const choice = new ChatChoice(index, this.#options)
    this.#choices.set(index, choice)
    return choice
  }
}

/** Treats each message of the response as one complete delta. */
export function decodeChatAnswer(body: JsonObject, options: DecoderOptions): readonly NeutralEvent[] | null {
  // A response with status 200 may contain an error in addition to a part of an answer.
  if (!Array.isArray(body.choices) || errorOf(body)) return null
  const events: NeutralEvent[] = [{ kind: 'start', id: textOrNull(body.id) || null }]
  for (const item of listOf(body.choices)) {
    if (!isObject(item)) continue
    const choice = new ChatChoice(numberOrNull(item.index) ?? 0, options)
    // The whole body has arrived, so the answer is complete even if the server omits the finish reason.
    const reason = isObject(item.message) ? item.finish_reason || 'unknown' : item.finish_reason
    choice.push({ ...item, finish_reason: reason }, deltaOfMessage(objectOf(item.message)), events)
  }
  const sources = new SourcesOutsideMessage()
  sources.read(body)
  sources.addTo(events)
  const usage = reportedUsage(body)
  if (!isAbsent(usage)) {
    const counted = usageFromChat(usage, textOrNull(body.service_tier))
    events.push({ kind: 'usage', usage: withSearches(counted, executedSearches(body.choices)) })
  }
  return events
}

/** The tool calls of a message have no index, so their position is used instead. */
function deltaOfMessage(message: JsonObject): JsonObject {
  const calls = listOf(message.tool_calls).map((call, index) => ({ ...objectOf(call), index }))
  return { ...message, tool_calls: calls }
}

class ChatChoice {
  readonly #choice: number
  readonly #origin: string
  readonly #calls: ChatToolCalls
  readonly #details = new ReasoningDetails()
  #isThinking = false
  #hasRefused = false
  #hasFinished = false
  /** Whether output has followed the last finish event. */
  #hasContinued = false

  constructor(choice: number, options: DecoderOptions) {
    this.#choice = choice
    this.#origin = options.origin
    this.#calls = new ChatToolCalls(choice, options)
  }

  push(item: JsonObject, raw: JsonValue, events: NeutralEvent[]): void {
    const choice = this.#choice
    const delta = objectOf(raw)
    const before = events.length
    const thought = thoughtOf(delta)
    if (thought !== '') {
      this.#isThinking = true
      events.push({ kind: 'reasoning', choice, text: thought })
    }
    this.#details.pushContent(delta.content)
    if (this.#details.push(delta.reasoning_details)) this.#isThinking = true
    const said = textOfContent(delta.content)
    if (said !== '') {
      this.#endThought(events)
      events.push({ kind: 'text', choice, text: said })
    }
    const refusal = textOrNull(delta.refusal)
    if (refusal) {
      this.#endThought(events)
      this.#hasRefused = true
      events.push({ kind: 'refusal', choice, text: refusal })
    }
    const tokens = listOf(objectOf(item.logprobs).content)
    if (tokens.length > 0) events.push({ kind: 'logprobs', choice, tokens })
    for (const annotation of listOf(delta.annotations)) pushCitation(annotation, choice, events)
    // A client may run the calls of a finished choice, so later pieces of calls are not read.
    for (const call of this.#hasFinished ? [] : callsOf(delta)) {
      const pieces = this.#calls.push(call)
      if (pieces.length > 0) this.#endThought(events)
      appendAll(events, pieces)
    }
    if (isObject(delta.audio)) events.push({ kind: 'lost', what: 'audio' })
    // Some servers send a finish reason before the answer, or with each piece of the answer.
    if (this.#hasFinished && (events.length > before || this.#isThinking)) this.#hasContinued = true
    if (isAbsent(item.finish_reason) || item.finish_reason === '') return
    if (!this.#hasFinished || this.#hasContinued) this.#finish(item.finish_reason, events)
  }

  /** Call `endContinued` at the end. If output followed the last finish reason, that reason still applies. */
  endContinued(events: NeutralEvent[]): void {
    if (this.#hasContinued) this.#endThought(events)
  }

  /**
   * Call `end` if the answer ends without a finish reason for this choice. The choice is complete unless one of its
   * tool calls is truncated.
   */
  end(events: NeutralEvent[]): void {
    if (!this.#hasFinished && this.#calls.areWhole) this.#finish('stop', events)
  }

  /**
   * Ends the current thought with a signature of the gateway, because the chat wire has no signatures. When a client
   * sends the reasoning back, the signature shows which provider wrote the reasoning. A server whose model thinks
   * between tool calls requires its reasoning in later requests. No other server may receive this reasoning. If the
   * thought has sealed details, the signature contains them.
   */
  #endThought(events: NeutralEvent[]): void {
    if (!this.#isThinking) return
    this.#isThinking = false
    const details = this.#details.take()
    const kind = details === null ? 'signature' : 'encrypted'
    const signature = { wire: 'chat', origin: this.#origin, kind, data: details ?? '', id: null } as const
    events.push({ kind: 'signature', choice: this.#choice, signature })
  }

  #finish(raw: JsonValue, events: NeutralEvent[]): void {
    this.#endThought(events)
    if (!this.#hasFinished) appendAll(events, this.#calls.end())
    this.#hasFinished = true
    this.#hasContinued = false
    const named = finishReasons.get(raw) ?? 'other'
    // Some servers send `stop` after tool calls, and all servers send `stop` after a refusal. The content of the answer
    // then determines the reason (docs/reference/conversions.md "Finish reasons").
    const reason =
      named !== 'end' ? named : !this.#calls.isEmpty ? 'tool_calls' : this.#hasRefused ? 'refusal' : 'end'
    events.push({ kind: 'finish', choice: this.#choice, reason, stopSequence: null })
  }
}

const finishReasons: ReadonlyMap<unknown, FinishReason> = new Map([
  ['stop', 'end'],
  ['length', 'max_output'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'filtered'],
  // Mistral and Z.ai (docs/reference/wires.md "Answers on the chat wire").
  ['model_length', 'context_full'],
  ['model_context_window_exceeded', 'context_full'],
  ['sensitive', 'filtered'],
])

/** The provider could not complete the answer: OpenRouter and Mistral, DeepSeek, Z.ai. */
const failedReasons: ReadonlySet<JsonValue> = new Set([
  'error',
  'insufficient_system_resource',
  'network_error',
])

/**
 * Returns the error in a chunk, which is at the top level or in a choice (OpenRouter). Null if the chunk contains no
 * error. Some servers always send `error: null` (docs/reference/wires.md "Errors on the chat wire").
 */
function errorOf(chunk: JsonObject): ProviderError | null {
  const first = objectOf(listOf(chunk.choices)[0])
  const isError =
    chunk.object === 'error' ||
    failedReasons.has(first.finish_reason) ||
    isSaid(chunk.error) ||
    isSaid(first.error)
  return isError ? (providerErrorOf(chunk) ?? unnamedError) : null
}

function isSaid(error: JsonValue): boolean {
  return isObject(error) || (typeof error === 'string' && error !== '')
}

/** Several fields may contain reasoning, and some servers send the same text in two of them. */
function thoughtOf(delta: JsonObject): string {
  const { reasoning_content: content, reasoning, reasoning_details: details } = delta
  if (typeof content === 'string' && content !== '') return content
  if (typeof reasoning === 'string' && reasoning !== '') return reasoning
  let text = ''
  for (const item of listOf(details)) {
    const detail = objectOf(item)
    text += textOrNull(detail.text) ?? textOrNull(detail.summary) ?? ''
  }
  // Mistral and Databricks send reasoning as parts of the content.
  for (const item of listOf(delta.content)) {
    const part = objectOf(item)
    if (part.type === 'reasoning') text += textOfPieces(part.summary)
    else if (part.type === 'thinking')
      text += typeof part.thinking === 'string' ? part.thinking : textOfPieces(part.thinking)
  }
  return text
}

function textOfContent(content: JsonValue): string {
  if (typeof content === 'string') return content
  let text = ''
  for (const item of listOf(content)) {
    const part = objectOf(item)
    if (part.type === 'text') text += textOrNull(part.text) ?? ''
  }
  return text
}

function callsOf(delta: JsonObject): readonly JsonValue[] {
  const calls = listOf(delta.tool_calls)
  // The old `function_call` format has no ID.
  return calls.length === 0 && isObject(delta.function_call) ? [{ function: delta.function_call }] : calls
}

function pushCitation(annotation: JsonValue, choice: number, events: NeutralEvent[]): void {
  const { type, url_citation: cited } = objectOf(annotation)
  const { url, title, start_index: start, end_index: end } = objectOf(cited)
  if (type !== 'url_citation' || typeof url !== 'string') {
    events.push({ kind: 'lost', what: 'annotations' })
    return
  }
  const citation = { url, title: textOrNull(title), start: numberOrNull(start), end: numberOrNull(end) }
  events.push({ kind: 'citation', choice, citation })
}
