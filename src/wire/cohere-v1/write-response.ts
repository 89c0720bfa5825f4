/** Converts responses of version 2, which the gateway uses internally (parse-request.ts), to version 1. */
import { SseSplitter } from '#wire/text/split-server-sent-events.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import {
  isAbsent,
  isObject,
  listOf,
  numberOrNull,
  objectOf,
  parseObject,
  printValue,
  textOrNull,
  type JsonObject,
  type JsonValue,
} from '#wire/text/json-values.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { callsOf } from './messages-of-chat-history.ts'
import type { Entry, ToolCall } from './turn-types.ts'

export const cohereV1StreamType = 'application/stream+json'

/** A text that is not an object can only be an error, and is returned unchanged. */
export function cohereV1Response(body: ByteText, { chatHistory }: WireRequest): ByteText {
  const response = parseObject(textOf(body))
  if (response === null) return body
  const { finish_reason: reason, id, message: written, usage, ...others } = response
  const message = objectOf(written)
  const contents = listOf(message.content).map((part) => textOrNull(objectOf(part).text) ?? '')
  const answer: Answer = {
    id,
    text: (textOrNull(message.tool_plan) ?? '') + contents.join(''),
    calls: callsOf(message.tool_calls),
    citations: listOf(message.citations).filter(isObject),
  }
  return byteTextOf(printValue({ ...others, ...responseOf(answer, reason, usage, chatHistory) }))
}

interface Answer {
  readonly id: JsonValue
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly citations: readonly JsonObject[]
}

function responseOf(
  { calls, citations, id, text }: Answer,
  reason: JsonValue,
  usage: JsonValue,
  history: readonly Entry[] = [],
): JsonObject {
  const answered: Entry = { role: 'CHATBOT', message: text, ...(calls.length > 0 && { tool_calls: calls }) }
  const { billed_units: billed, cached_tokens: cached, tokens } = objectOf(usage)
  return {
    response_id: id,
    text,
    generation_id: id,
    chat_history: [...history, answered],
    finish_reason: finishReasonOf(reason),
    meta: {
      api_version: { version: '1' },
      ...(!isAbsent(billed) && { billed_units: billed }),
      ...(!isAbsent(tokens) && { tokens }),
      ...(!isAbsent(cached) && { cached_tokens: cached }),
    },
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(citations.length > 0 && {
      citations: citations.map(citationOf),
      documents: documentsOf(citations),
    }),
  }
}

/** Version 1 has no finish reason for tool calls. */
function finishReasonOf(reason: JsonValue): JsonValue {
  return reason === 'TOOL_CALL' ? 'COMPLETE' : reason
}

function citationOf({ end, sources, start, text, type }: JsonObject): JsonObject {
  const ids = listOf(sources).map((source) => objectOf(source).id)
  return { start, end, text, document_ids: ids, ...(!isAbsent(type) && { type }) }
}

/** The source of a citation contains the document, or the output of a tool. */
function documentsOf(citations: readonly JsonObject[]): readonly JsonObject[] {
  const documents = new Map<JsonValue, JsonObject>()
  for (const source of citations.flatMap(({ sources }) => listOf(sources)).filter(isObject))
    documents.set(source.id, { ...objectOf(source.document ?? source.tool_output), id: source.id })
  return [...documents.values()]
}

/** Writes one JSON object in each line, and the whole response in the last event. */
export class CohereV1Lines {
  readonly #history: readonly Entry[]
  #id: JsonValue = ''
  #text = ''
  readonly #calls = new Map<number, { name: string; arguments: string }>()
  readonly #citations: JsonObject[] = []

  constructor({ chatHistory = [] }: WireRequest) {
    this.#history = chatHistory
  }

  /** @param events complete events in the format of the wire `cohere` */
  write(events: ByteText): ByteText {
    let out = ''
    new SseSplitter().push(events, ({ dataEnd, dataStart, text }) => {
      const data = text.slice(dataStart, dataEnd)
      if (data === '' || data === '[DONE]') return
      const event = parseObject(textOf(data))
      // Forward an event that is not JSON, because this event makes the client throw after a failure.
      if (event === null) out += `${data}\n`
      else for (const line of this.#eventsOf(event)) out += `${byteTextOf(printValue(line))}\n`
    })
    return out
  }

  #eventsOf(event: JsonObject): readonly JsonObject[] {
    const { delta, id, index, type } = event
    const message = objectOf(objectOf(delta).message)
    const text = textOrNull(objectOf(message.content).text) ?? ''
    switch (type) {
      case 'message-start':
        this.#id = id ?? ''
        return [eventOf('stream-start', { generation_id: this.#id })]
      case 'content-start':
      case 'content-delta':
        this.#text += text
        return text === '' ? [] : [eventOf('text-generation', { text })]
      case 'tool-plan-delta': {
        const plan = textOrNull(message.tool_plan) ?? ''
        this.#text += plan
        return plan === '' ? [] : [eventOf('tool-calls-chunk', { text: plan })]
      }
      case 'tool-call-start':
      case 'tool-call-delta':
        return this.#call(numberOrNull(index) ?? 0, objectOf(objectOf(message.tool_calls).function))
      case 'citation-start':
        return this.#cite(message.citations)
      case 'message-end':
        return this.#end(event)
      default:
        return []
    }
  }

  #call(index: number, called: JsonObject): readonly JsonObject[] {
    const call = this.#calls.get(index) ?? { name: '', arguments: '' }
    this.#calls.set(index, call)
    const name = textOrNull(called.name) ?? ''
    const written = textOrNull(called.arguments) ?? ''
    call.name += name
    call.arguments += written
    return [
      ...(name === '' ? [] : [{ index, name }]),
      ...(written === '' ? [] : [{ index, parameters: written }]),
    ].map((piece) => eventOf('tool-calls-chunk', { tool_call_delta: piece }))
  }

  #cite(written: JsonValue): readonly JsonObject[] {
    const citations = (Array.isArray(written) ? listOf(written) : [written]).filter(isObject)
    this.#citations.push(...citations)
    return citations.map((citation) => eventOf('citation-generation', { citations: [citationOf(citation)] }))
  }

  /** The last event keeps the error of a failure, and the report of the charge (`svc`). */
  #end(event: JsonObject): readonly JsonObject[] {
    const { delta, id, type: _, ...others } = event
    const { error, finish_reason: reason, usage } = objectOf(delta)
    const calls = callsOf(Array.from(this.#calls.values(), (called) => ({ function: called })))
    const answer = {
      id: this.#id === '' ? id : this.#id,
      text: this.#text,
      calls,
      citations: this.#citations,
    }
    const response = responseOf(answer, reason, usage, this.#history)
    const end = {
      finish_reason: finishReasonOf(reason),
      response,
      ...(!isAbsent(error) && { error }),
      ...others,
    }
    return [
      ...(calls.length === 0
        ? []
        : [eventOf('tool-calls-generation', { text: this.#text, tool_calls: calls })]),
      { ...eventOf('stream-end', end), is_finished: true },
    ]
  }
}

function eventOf(type: string, fields: JsonObject): JsonObject {
  return { is_finished: false, event_type: type, ...fields }
}
