import { appendAll } from '#convert/append-all.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { NeutralEvent, Tool, UrlCitation } from '#convert/neutral-format.ts'
import { noProviderSignature, tagOf } from '#wire/tagged-reasoning-signatures.ts'
import { actionsOfCall } from './computer-tool-as-function.ts'
import { hasEncryptedArguments } from './encrypted-arguments.ts'
import { fieldsOfSearch } from './tool-search-as-function.ts'
import { fieldsOfName } from './tool-names-in-namespaces.ts'

/** The type of an event, with the members of its data as an object or as JSON text (write-frames.ts). */
export type ItemFrame = readonly [type: string, fields: JsonObject | ByteText]

/**
 * A message and a reasoning item are written one after the other. Tool calls can be written at the same time as other
 * items. Each item has its own index. An item ends with `.done` events and is collected for the completed response.
 */
export class EncodedItems {
  readonly #callId: string
  readonly #tools: readonly Tool[]
  /** By name, because an answer may have thousands of calls. Null before the first call. */
  #toolsByName: ReadonlyMap<string, CalledTool> | null = null
  readonly #items: Item[] = []
  readonly #calls = new Map<number, CallItem | WholeItem>()
  #message: MessageItem | null = null
  #reasoning: ReasoningItem | null = null
  /**
   * Length of the text of all messages in UTF-16 units. The positions of neutral citations refer to this text, but
   * positions on the wire refer to a part.
   */
  #textLength = 0

  /** @param callId the letters and digits from which the item IDs are built */
  constructor(callId: string, tools: readonly Tool[]) {
    this.#callId = callId
    this.#tools = tools
  }

  /** @returns the frames for a neutral event; empty if the wire has none */
  add(event: NeutralEvent): readonly ItemFrame[] {
    if ('choice' in event && event.choice !== 0) return []
    switch (event.kind) {
      case 'text':
        return event.text === '' ? [] : this.#say('output_text', event.text)
      case 'refusal':
        return event.text === '' ? [] : this.#say('refusal', event.text)
      case 'reasoning':
        return event.text === '' ? [] : this.#think(event.text)
      case 'signature':
        return this.#signature(tagOf(event.signature))
      case 'tool_call':
        return this.#call(event)
      case 'arguments':
        return this.#argue(event.slot, event.text)
      case 'tool_call_end':
        return this.#endCall(event.slot)
      case 'citation':
        return this.#cite(event.citation)
      case 'logprobs':
        return this.#logprobs(event.tokens)
      case 'start':
      case 'usage':
      case 'finish':
      case 'error':
      case 'lost':
        return []
      default:
        return event satisfies never
    }
  }

  /**
   * Ends the answer.
   * @param isCut whether open items are incomplete; an open tool call then gets no end event, so that no client runs it
   */
  close(isCut: boolean): readonly ItemFrame[] {
    const status = isCut ? 'incomplete' : 'completed'
    const calls = isCut ? [] : [...this.#calls.keys()].flatMap((slot) => this.#endCall(slot))
    return [...this.#endReasoning(null, status), ...this.#endMessage(status), ...calls]
  }

  /** Items that have not ended are marked as incomplete. */
  output(): readonly JsonObject[] {
    return this.#items.map((item) => rawOf(item, item.status === 'in_progress' ? 'incomplete' : item.status))
  }

  doneOnly(): readonly JsonObject[] {
    return this.#items.filter(({ status }) => status === 'completed').map((item) => rawOf(item, item.status))
  }

  #say(type: Part['type'], text: string): readonly ItemFrame[] {
    const frames: ItemFrame[] = [...this.#endReasoning(null)]
    if (!this.#message) {
      this.#message = { ...this.#base('msg'), parts: [], type: 'message' }
      frames.push(this.#added(this.#message))
    }
    const message = this.#message
    let part = message.parts.at(-1)
    if (part?.type !== type) {
      frames.push(...endPart(message))
      part = { type, text: '', annotations: [], logprobs: [], start: this.#textLength }
      message.parts.push(part)
      frames.push(['response.content_part.added', { ...placeOfPart(message), part: rawPart(part) }])
    }
    part.text += text
    if (type === 'output_text') this.#textLength += text.length
    frames.push(partDelta(message, part, text, '[]'))
    return frames
  }

  #logprobs(tokens: readonly JsonValue[]): readonly ItemFrame[] {
    const part = this.#message?.parts.at(-1)
    if (!this.#message || part?.type !== 'output_text') return []
    appendAll(part.logprobs, tokens)
    return [partDelta(this.#message, part, '', byteTextOf(JSON.stringify(tokens)))]
  }

  #cite({ url, title, start, end }: UrlCitation): readonly ItemFrame[] {
    const message = this.#message
    const part = message?.parts.at(-1)
    // Citations cannot be added to a finished text.
    if (!message || part?.type !== 'output_text') return []
    const { start: from, text } = part
    const place = (at: number): number => Math.min(Math.max(at - from, 0), text.length)
    const annotation = {
      type: 'url_citation',
      url,
      title: title ?? '',
      start_index: place(start ?? from),
      end_index: place(end ?? from + text.length),
    }
    part.annotations.push(annotation)
    const fields = { ...placeOfPart(message), annotation_index: part.annotations.length - 1, annotation }
    return [['response.output_text.annotation.added', fields]]
  }

  #think(text: string): readonly ItemFrame[] {
    const { item, frames } = this.#openReasoning()
    if (item.text === '')
      frames.push([
        'response.reasoning_summary_part.added',
        { ...placeOfSummary(item), part: { type: 'summary_text', text: '' } },
      ])
    item.text += text
    frames.push(delta('reasoning_summary_text', item, '"summary_index":0,', text))
    return frames
  }

  /**
   * A signature ends the reasoning before it. If no reasoning precedes the signature, the signature becomes a separate
   * item.
   */
  #signature(signature: string): readonly ItemFrame[] {
    const { frames } = this.#openReasoning()
    return [...frames, ...this.#endReasoning(signature)]
  }

  #openReasoning(): { item: ReasoningItem; frames: ItemFrame[] } {
    const frames = [...this.#endMessage()]
    if (this.#reasoning) return { item: this.#reasoning, frames }
    const item: ReasoningItem = {
      ...this.#base('rs'),
      type: 'reasoning',
      text: '',
      signature: null,
    }
    this.#reasoning = item
    return { item, frames: [...frames, this.#added(item)] }
  }

  #call({ slot, id, name, isCustom }: Extract<NeutralEvent, { kind: 'tool_call' }>): readonly ItemFrame[] {
    if (this.#calls.has(slot)) return []
    const frames: ItemFrame[] = [...this.#endReasoning(null), ...this.#endMessage()]
    const { computer, isPlain = false, search } = this.#toolNamed(name) ?? {}
    const type = isCustom ? 'custom_tool_call' : 'function_call'
    const call: CallItem | WholeItem = computer
      ? { ...this.#base('cu'), type: 'computer_call', callId: id, computer, text: '' }
      : search
        ? { ...this.#base('tsc'), type: 'tool_search_call', callId: id, text: '' }
        : { ...this.#base(isCustom ? 'ctc' : 'fc'), type, callId: id, name, isPlain, text: '' }
    this.#calls.set(slot, call)
    return [...frames, this.#added(call)]
  }

  /** If two tools have the same name, the first is returned. */
  #toolNamed(name: string): CalledTool | undefined {
    this.#toolsByName ??= new Map(
      this.#tools.toReversed().map(({ computer, name: own, parameters, search }) => {
        const isPlain = hasEncryptedArguments(parameters)
        return [own, { isPlain, ...(computer && { computer }), ...(search && { search }) }]
      }),
    )
    return this.#toolsByName.get(name)
  }

  #argue(slot: number, text: string): readonly ItemFrame[] {
    const call = this.#calls.get(slot)
    if (call?.status !== 'in_progress' || text === '') return []
    call.text += text
    // The arguments of computer calls and searches are sent complete, at the end of the item.
    return isWhole(call) ? [] : [delta(textEvent[call.type], call, '', text)]
  }

  #endCall(slot: number): readonly ItemFrame[] {
    const call = this.#calls.get(slot)
    if (call?.status !== 'in_progress') return []
    call.status = 'completed'
    if (isWhole(call)) return [doneOf(call)]
    const whole =
      call.type === 'custom_tool_call'
        ? { input: call.text }
        : { name: fieldsOfName(call.name).name, arguments: call.text }
    return [[`response.${textEvent[call.type]}.done`, { ...placeOf(call), ...whole }], doneOf(call)]
  }

  #endMessage(status: Status = 'completed'): readonly ItemFrame[] {
    const message = this.#message
    if (!message) return []
    this.#message = null
    const frames = endPart(message)
    message.status = status
    return [...frames, doneOf(message)]
  }

  #endReasoning(signature: string | null, status: Status = 'completed'): readonly ItemFrame[] {
    const item = this.#reasoning
    if (!item) return []
    this.#reasoning = null
    item.signature = signature ?? tagOf(noProviderSignature)
    item.status = status
    const frames: ItemFrame[] = []
    if (item.text !== '') {
      const place = placeOfSummary(item)
      frames.push(['response.reasoning_summary_text.done', { ...place, text: item.text }])
      const part = { type: 'summary_text', text: item.text }
      frames.push(['response.reasoning_summary_part.done', { ...place, part }])
    }
    return [...frames, doneOf(item)]
  }

  #base(prefix: string): Base {
    const index = this.#items.length
    return { id: `${prefix}_${this.#callId}_${index}`, index, status: 'in_progress' }
  }

  #added(item: Item): ItemFrame {
    this.#items.push(item)
    return ['response.output_item.added', { output_index: item.index, item: rawOf(item, item.status) }]
  }
}

interface CalledTool extends Pick<Tool, 'computer' | 'search'> {
  readonly isPlain: boolean
}

type Status = 'in_progress' | 'completed' | 'incomplete'

interface Base {
  readonly id: string
  readonly index: number
  status: Status
}

interface MessageItem extends Base {
  readonly type: 'message'
  readonly parts: Part[]
}

interface Part {
  readonly type: 'output_text' | 'refusal'
  text: string
  readonly annotations: JsonObject[]
  readonly logprobs: JsonValue[]
  /** Position at which this part starts in the text of all messages. */
  readonly start: number
}

interface ReasoningItem extends Base {
  readonly type: 'reasoning'
  text: string
  signature: string | null
}

interface CallItem extends Base {
  readonly type: 'function_call' | 'custom_tool_call'
  readonly callId: string
  readonly name: string
  /** Whether the client requested encrypted arguments, which only OpenAI writes. */
  readonly isPlain: boolean
  text: string
}

interface ComputerItem extends Base {
  readonly type: 'computer_call'
  readonly callId: string
  readonly computer: JsonObject
  text: string
}

interface SearchItem extends Base {
  readonly type: 'tool_search_call'
  readonly callId: string
  text: string
}

/** A call whose arguments are sent complete, without events of their own. */
type WholeItem = ComputerItem | SearchItem

function isWhole(call: CallItem | WholeItem): call is WholeItem {
  return call.type === 'computer_call' || call.type === 'tool_search_call'
}

type Item = MessageItem | ReasoningItem | CallItem | WholeItem

const textEvent = {
  function_call: 'function_call_arguments',
  custom_tool_call: 'custom_tool_call_input',
} as const

function rawOf(item: Item, status: Status): JsonObject {
  const { id, type } = item
  switch (item.type) {
    case 'message':
      return { id, type, status, role: 'assistant', content: item.parts.map(rawPart) }
    case 'reasoning':
      return {
        id,
        type,
        summary:
          item.text === '' || status === 'in_progress' ? [] : [{ type: 'summary_text', text: item.text }],
        ...(item.signature !== null && { encrypted_content: item.signature }),
      }
    case 'function_call':
      return {
        id,
        type,
        status,
        call_id: item.callId,
        ...fieldsOfName(item.name),
        arguments: item.text,
        ...(item.isPlain && { encrypted_function_args: [] }),
      }
    case 'custom_tool_call':
      return { id, type, status, call_id: item.callId, ...fieldsOfName(item.name), input: item.text }
    case 'computer_call': {
      const actions = actionsOfCall(item.computer, item.text)
      return { id, type, status, call_id: item.callId, ...actions, pending_safety_checks: [] }
    }
    case 'tool_search_call':
      return { id, type, status, call_id: item.callId, ...fieldsOfSearch(item.text) }
    default:
      return item satisfies never
  }
}

function rawPart({ type, text, annotations, logprobs }: Part): JsonObject {
  return type === 'refusal'
    ? { type, refusal: text }
    : { type, annotations: [...annotations], logprobs: [...logprobs], text }
}

/** @param logprobs the log probabilities of the delta's tokens, as JSON */
function partDelta(message: MessageItem, { type }: Part, text: string, logprobs: ByteText): ItemFrame {
  const place = `"content_index":${message.parts.length - 1},`
  return delta(type, message, place, text, type === 'output_text' ? `,"logprobs":${logprobs}` : '')
}

/**
 * Deltas are built as strings, because nearly every event is a delta, and objects would double the CPU cost of a
 * stream.
 */
function delta(
  kind: string,
  { id, index }: Base,
  place: ByteText,
  text: string,
  rest: ByteText = '',
): ItemFrame {
  const said = byteTextOf(JSON.stringify(text))
  return [
    `response.${kind}.delta`,
    `"item_id":"${id}","output_index":${index},${place}"delta":${said}${rest}`,
  ]
}

function endPart(message: MessageItem): readonly ItemFrame[] {
  const part = message.parts.at(-1)
  if (!part) return []
  const place = placeOfPart(message)
  const { type, text, logprobs } = part
  const whole = type === 'refusal' ? { refusal: text } : { text, logprobs: [...logprobs] }
  return [
    [`response.${type}.done`, { ...place, ...whole }],
    ['response.content_part.done', { ...place, part: rawPart(part) }],
  ]
}

function doneOf(item: Item): ItemFrame {
  return ['response.output_item.done', { output_index: item.index, item: rawOf(item, item.status) }]
}

function placeOf({ id, index }: Base): JsonObject {
  return { item_id: id, output_index: index }
}

function placeOfPart(message: MessageItem): JsonObject {
  return { ...placeOf(message), content_index: message.parts.length - 1 }
}

function placeOfSummary(item: ReasoningItem): JsonObject {
  return { ...placeOf(item), summary_index: 0 }
}
