import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import type { DecoderOptions } from '#convert/codec-interface.ts'
import { isAbsent, isObject, listOf, numberOrNull, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { FinishReason, NeutralEvent } from '#convert/neutral-format.ts'
import { signatureOfTag } from '#wire/tagged-reasoning-signatures.ts'

/**
 * Each text of an item may arrive three times: in deltas, when its part is done, and when its item is done. The first
 * copy of a text counts, and later copies only add missing text. Streams from servers that omit some of these events
 * are therefore also read correctly.
 */
export class DecodedItems {
  readonly #options: DecoderOptions
  readonly #items = new Map<number, Item>()
  #calls = 0
  #hasRefusal = false
  /** Length of the text so far in UTF-16 units, which is the start of the next part. */
  #textLength = 0
  #isAfterReasoning = false

  constructor(options: DecoderOptions) {
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#items.size === 0
  }

  reason(): FinishReason {
    if (this.#calls > 0) return 'tool_calls'
    return this.#hasRefusal ? 'refusal' : 'end'
  }

  added(index: number, item: JsonObject): readonly NeutralEvent[] {
    const known = this.#items.get(index)
    if (known && !known.isDone) return []
    // A tool call cannot begin without a name. The event at the end of a tool call contains the complete call.
    return isCall(item.type) && !item.name ? [] : this.#open(index, item).events
  }

  /** @returns neutral events for content that did not arrive in earlier events */
  done(index: number, item: JsonObject): readonly NeutralEvent[] {
    const known = this.#items.get(index)
    const { one, events } = known && !known.isDone ? { one: known, events: [] } : this.#open(index, item)
    const rest = [...events, ...this.#rest(one, item)]
    one.isDone = true
    return rest
  }

  /** @param frame an event whose text or delta belongs to the item at `index` */
  pushed(type: string, index: number, frame: JsonObject): readonly NeutralEvent[] {
    const known = this.#items.get(index)
    const ownType = itemTypes.get(type)
    if (known?.isDone || (!known && ownType === undefined)) return []
    if (known) return this.#text(known, type, frame)
    const { one, events } = this.#open(index, { type: ownType })
    return [...events, ...this.#text(one, type, frame)]
  }

  /**
   * Call `ended` when the answer is complete. All tool calls of the answer are then complete, even calls without an end
   * event.
   */
  ended(): readonly NeutralEvent[] {
    return [...this.#items.values()].flatMap((item) => this.#endCall(item))
  }

  #text(item: Item, type: string, frame: JsonObject): readonly NeutralEvent[] {
    const part = numberOrNull(frame.content_index) ?? 0
    const delta = textOrNull(frame.delta) ?? ''
    switch (type) {
      case 'response.output_text.delta':
        return [...this.#say(item, 'text', part, delta), ...logprobsOf(frame.logprobs)]
      case 'response.output_text.done':
        return this.#sayRest(item, 'text', part, frame.text)
      case 'response.output_text.annotation.added':
        return this.#cite(item, part, frame.annotation)
      case 'response.refusal.delta':
        return this.#say(item, 'refusal', part, delta)
      case 'response.refusal.done':
        return this.#sayRest(item, 'refusal', part, frame.refusal)
      case 'response.reasoning_summary_text.delta':
        return this.#say(item, 'reasoning', numberOrNull(frame.summary_index) ?? 0, delta)
      case 'response.reasoning_summary_text.done':
        return this.#sayRest(item, 'reasoning', numberOrNull(frame.summary_index) ?? 0, frame.text)
      case 'response.reasoning_text.delta':
        return this.#say(item, 'thought', part, delta)
      case 'response.reasoning_text.done':
        return this.#sayRest(item, 'thought', part, frame.text)
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#say(item, 'arguments', 0, delta)
      case 'response.function_call_arguments.done':
        return [...this.#sayRest(item, 'arguments', 0, frame.arguments), ...this.#endCall(item)]
      case 'response.custom_tool_call_input.done':
        return [...this.#sayRest(item, 'arguments', 0, frame.input), ...this.#endCall(item)]
      default:
        return []
    }
  }

  #open(index: number, raw: JsonObject): { one: Item; events: readonly NeutralEvent[] } {
    const type = textOrNull(raw.type) ?? 'message'
    const one: Item = {
      type,
      said: new Map(),
      starts: new Map(),
      citations: new Map(),
      isDone: false,
      call: null,
      hasThoughts: null,
    }
    this.#items.set(index, one)
    if (isCall(type)) {
      const slot = this.#calls++
      one.call = { slot, isCustom: type === 'custom_tool_call', isEnded: false }
      const id = textOrNull(raw.call_id) || textOrNull(raw.id) || `${this.#options.callIdPrefix}${slot}`
      const name = textOrNull(raw.name) ?? ''
      this.#isAfterReasoning = false
      return {
        one,
        events: [{ kind: 'tool_call', choice: 0, slot, id, name, isCustom: one.call.isCustom }],
      }
    }
    const isLost = type !== 'message' && type !== 'reasoning'
    return { one, events: isLost ? [{ kind: 'lost', what: type }] : [] }
  }

  #rest(one: Item, raw: JsonObject): readonly NeutralEvent[] {
    if (one.call) {
      const text = one.call.isCustom ? raw.input : raw.arguments
      return [...this.#sayRest(one, 'arguments', 0, text), ...this.#endCall(one)]
    }
    if (one.type === 'reasoning') return this.#reasoned(one, raw)
    if (one.type !== 'message') return []
    return listOf(raw.content).flatMap((value, i) => {
      const part = objectOf(value)
      const isRefusal = part.type === 'refusal'
      const isNew = !one.said.has(keyOf('text', i))
      return [
        ...this.#sayRest(one, isRefusal ? 'refusal' : 'text', i, isRefusal ? part.refusal : part.text),
        ...(isNew ? logprobsOf(part.logprobs) : []),
        ...listOf(part.annotations)
          .slice(one.citations.get(i) ?? 0)
          .flatMap((annotation) => this.#cite(one, i, annotation)),
      ]
    })
  }

  #reasoned(one: Item, raw: JsonObject): readonly NeutralEvent[] {
    const events: NeutralEvent[] = []
    for (const [i, part] of listOf(raw.summary).entries())
      events.push(...this.#sayRest(one, 'reasoning', i, objectOf(part).text))
    for (const [i, part] of listOf(raw.content).entries())
      events.push(...this.#sayRest(one, 'thought', i, objectOf(part).text))
    const data = textOrNull(raw.encrypted_content)
    if (data) {
      const { origin } = this.#options
      const own = { wire: 'responses', origin, kind: 'encrypted', data, id: textOrNull(raw.id) } as const
      events.push({ kind: 'signature', choice: 0, signature: signatureOfTag(data) ?? own })
      this.#isAfterReasoning = false
    }
    return events
  }

  #say(item: Item, kind: Said, part: number, text: string): readonly NeutralEvent[] {
    const key = keyOf(kind, part)
    const before = item.said.get(key)
    item.said.set(key, (before ?? '') + text)
    if (text === '') return []
    if (item.call) {
      if (kind !== 'arguments' || item.call.isEnded) return []
      return [{ kind: 'arguments', choice: 0, slot: item.call.slot, text }]
    }
    if (kind === 'reasoning' || kind === 'thought') return this.#think(item, kind, !before, text)
    this.#isAfterReasoning = false
    if (kind === 'refusal') {
      this.#hasRefusal = true
      return [{ kind, choice: 0, text }]
    }
    if (kind !== 'text') return []
    if (!item.starts.has(part)) item.starts.set(part, this.#textLength)
    this.#textLength += text.length
    return [{ kind, choice: 0, text }]
  }

  /** An answer may have several summaries, each with several parts. Some servers also send the reasoning itself. */
  #think(
    item: Item,
    kind: 'reasoning' | 'thought',
    isNewPart: boolean,
    text: string,
  ): readonly NeutralEvent[] {
    item.hasThoughts ??= kind
    if (item.hasThoughts !== kind) return []
    const gap = isNewPart && this.#isAfterReasoning ? '\n\n' : ''
    this.#isAfterReasoning = true
    return [{ kind: 'reasoning', choice: 0, text: gap + text }]
  }

  #sayRest(item: Item, kind: Said, part: number, whole: JsonValue): readonly NeutralEvent[] {
    if (typeof whole !== 'string') return []
    const said = item.said.get(keyOf(kind, part)) ?? ''
    return whole.length > said.length && whole.startsWith(said)
      ? this.#say(item, kind, part, whole.slice(said.length))
      : []
  }

  #endCall(item: Item): readonly NeutralEvent[] {
    const { call } = item
    if (!call || call.isEnded) return []
    const hasArguments = (item.said.get(keyOf('arguments', 0)) ?? '') !== ''
    const empty = hasArguments || call.isCustom ? [] : this.#say(item, 'arguments', 0, '{}')
    call.isEnded = true
    return [...empty, { kind: 'tool_call_end', choice: 0, slot: call.slot }]
  }

  #cite(item: Item, part: number, value: JsonValue): readonly NeutralEvent[] {
    item.citations.set(part, (item.citations.get(part) ?? 0) + 1)
    const { type, url, title, start_index: start, end_index: end } = objectOf(value)
    if (type !== 'url_citation' || typeof url !== 'string')
      return [{ kind: 'lost', what: `annotation ${textOrNull(type) ?? ''}`.trimEnd() }]
    const from = item.starts.get(part) ?? this.#textLength
    const place = (at: JsonValue): number | null => {
      const number = numberOrNull(at)
      return number === null ? null : from + number
    }
    return [
      {
        kind: 'citation',
        choice: 0,
        citation: { url, title: textOrNull(title), start: place(start), end: place(end) },
      },
    ]
  }
}

interface Item {
  readonly type: string
  readonly said: Map<string, string>
  /** Position of each text part in the whole text, because citations can arrive after the texts of later parts. */
  readonly starts: Map<number, number>
  /** For each part. */
  readonly citations: Map<number, number>
  isDone: boolean
  call: { readonly slot: number; readonly isCustom: boolean; isEnded: boolean } | null
  /** The kind that arrived first: summary or thought. Reasoning of the other kind is skipped. */
  hasThoughts: 'reasoning' | 'thought' | null
}

/** `reasoning` is a summary, and `thought` is the model's own reasoning. */
type Said = 'text' | 'refusal' | 'reasoning' | 'thought' | 'arguments'

function keyOf(kind: Said, part: number): string {
  return `${kind} ${part}`
}

/**
 * The item type that an event implies, for servers that do not announce items. A tool call is returned only when its
 * name is known.
 */
const itemTypes: ReadonlyMap<string, string> = new Map([
  ['response.output_text.delta', 'message'],
  ['response.output_text.done', 'message'],
  ['response.refusal.delta', 'message'],
  ['response.refusal.done', 'message'],
  ['response.reasoning_summary_text.delta', 'reasoning'],
  ['response.reasoning_summary_text.done', 'reasoning'],
  ['response.reasoning_text.delta', 'reasoning'],
  ['response.reasoning_text.done', 'reasoning'],
])

function isCall(type: JsonValue): boolean {
  return type === 'function_call' || type === 'custom_tool_call'
}

/** The format of the chat wire always includes the bytes of a token. */
function logprobsOf(value: JsonValue): readonly NeutralEvent[] {
  const tokens = listOf(value).filter(isObject).map(logprobOf)
  return tokens.length > 0 ? [{ kind: 'logprobs', choice: 0, tokens }] : []
}

function logprobOf(token: JsonObject): JsonObject {
  const { bytes, top_logprobs: top } = token
  const alternatives = listOf(top)
    .filter(isObject)
    .map((other) => ({ ...other, bytes: isAbsent(other.bytes) ? null : other.bytes }))
  return { ...token, bytes: isAbsent(bytes) ? null : bytes, top_logprobs: alternatives }
}
