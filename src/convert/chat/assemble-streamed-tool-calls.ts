import {
  isObject,
  objectOf,
  parseObject,
  printValue,
  textOrNull,
  type JsonValue,
} from '#wire/text/json-values.ts'
import type { DecoderOptions } from '#convert/codec-interface.ts'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { googleSignatureOf } from './reasoning-signatures.ts'

/**
 * Assembles tool calls from the pieces of a stream. Servers of this wire state in different ways to which call a piece
 * belongs, and some servers are wrong (docs/reference/wires.md "Tool calls of compatible servers"). The index of a
 * piece may be missing, 0 for every call, or different in the first piece. The ID and the name of a call may be
 * repeated, empty or late. A piece is assigned to a call by these rules:
 *
 * - A known ID identifies its call.
 * - A new ID starts a new call, even without an index.
 * - If a piece has no ID, the index identifies the call.
 * - A piece without an ID and without an index belongs to the last call.
 *
 * A call does not end when its arguments are valid JSON, because further arguments may follow after `{}`.
 */
export class ChatToolCalls {
  readonly #choice: number
  readonly #origin: string
  readonly #callIdPrefix: string
  readonly #calls: Call[] = []
  readonly #byId = new Map<string, Call>()
  readonly #byIndex = new Map<number, Call>()
  #slots = 0

  constructor(choice: number, { callIdPrefix, origin }: DecoderOptions) {
    this.#choice = choice
    this.#origin = origin
    this.#callIdPrefix = callIdPrefix
  }

  get isEmpty(): boolean {
    return this.#calls.length === 0
  }

  /** Long arguments count as complete without a check. */
  get areWhole(): boolean {
    return this.#calls.every(
      ({ isCustom, last }) =>
        isCustom || last === '' || last.length >= wholeLengthMax || parseObject(last) !== null,
    )
  }

  /** @param delta an entry of `tool_calls` */
  push(delta: JsonValue): readonly NeutralEvent[] {
    const {
      id: rawId,
      index: rawIndex,
      type,
      function: called,
      custom,
      extra_content: extra,
    } = objectOf(delta)
    const isCustom = type === 'custom' || (custom !== undefined && called === undefined)
    const inner = objectOf(isCustom ? custom : called)
    const id = textOrNull(rawId) || null
    const name = textOrNull(inner.name) || null
    const text = textOf(isCustom ? inner.input : inner.arguments)
    if (id === null && name === null && text === '') return []
    const index = typeof rawIndex === 'number' ? rawIndex : null
    const call = this.#callOf(id, index, name, text)
    if (index !== null) this.#byIndex.set(index, call)
    if (id !== null) {
      this.#byId.set(id, call)
      call.id ??= id
    }
    call.isCustom ||= isCustom
    call.signature ??= googleSignatureOf(extra)
    return this.#add(call, name, text)
  }

  /** Call `end` when the choice has finished. */
  end(): readonly NeutralEvent[] {
    const choice = this.#choice
    const events: NeutralEvent[] = []
    for (const { slot, isCustom, hasArguments } of this.#calls) {
      // Drop a call that never got a name, because a call without a name cannot be written.
      if (slot === null) {
        events.push({ kind: 'lost', what: 'tool_calls' })
        continue
      }
      if (!hasArguments && !isCustom) events.push({ kind: 'arguments', choice, slot, text: '{}' })
      events.push({ kind: 'tool_call_end', choice, slot })
    }
    return events
  }

  #callOf(id: string | null, index: number | null, name: string | null, text: string): Call {
    const known = id === null ? undefined : this.#byId.get(id)
    if (known) return known
    const indexed = index === null ? undefined : this.#byIndex.get(index)
    if (id !== null) {
      // A call can start without an ID. A later piece with an ID and the same index then belongs to this call.
      return indexed && indexed.id === null && !isAnother(indexed, name, text) ? indexed : this.#open()
    }
    const call = indexed ?? (index !== null && name !== null ? undefined : this.#calls.at(-1))
    return call && !isAnother(call, name, text) ? call : this.#open()
  }

  #open(): Call {
    const call: Call = {
      id: null,
      name: null,
      slot: null,
      signature: null,
      isCustom: false,
      hasArguments: false,
      early: '',
      last: '',
    }
    this.#calls.push(call)
    return call
  }

  /**
   * The client gets the start of a call as soon as the name of the call is known. Until the name is known, the
   * arguments are kept.
   */
  #add(call: Call, name: string | null, text: string): readonly NeutralEvent[] {
    const choice = this.#choice
    const events: NeutralEvent[] = []
    call.name ??= name
    if (call.name === null) {
      call.early += text
      return events
    }
    let fresh = text
    if (call.slot === null) {
      call.slot = this.#slots++
      call.id ??= this.#callIdPrefix + (this.#choice > 0 ? `${this.#choice}_` : '') + String(call.slot)
      const { slot, id, isCustom, signature: data } = call
      const signature = { wire: 'chat', origin: this.#origin, kind: 'thought_signature', id: null } as const
      if (data !== null) events.push({ kind: 'signature', choice, signature: { ...signature, data } })
      events.push({ kind: 'tool_call', choice, slot, id, name: call.name, isCustom })
      fresh = call.early + text
      call.early = ''
    }
    if (fresh === '') return events
    call.hasArguments = true
    if (call.last.length < wholeLengthMax) call.last += fresh
    events.push({ kind: 'arguments', choice, slot: call.slot, text: fresh })
    return events
  }
}

/** Some servers send complete arguments as an object instead of a text. The text may follow an empty object. */
function textOf(given: JsonValue): string {
  if (!isObject(given)) return textOrNull(given) ?? ''
  return Object.keys(given).length > 0 ? printValue(given) : ''
}

interface Call {
  id: string | null
  name: string | null
  /** Null until the name of the call is known. */
  slot: number | null
  /** The signature of a Gemini model. Servers send it in the first piece of the call. */
  signature: string | null
  isCustom: boolean
  hasArguments: boolean
  early: string
  /** The arguments are kept only while they may be a complete call in one piece. */
  last: string
}

/**
 * Maximum length of the arguments that are kept to recognize a call that arrived complete in one piece. Servers that
 * send calls in this way, without IDs, send only small calls.
 */
const wholeLengthMax = 4096

function isAnother(call: Call, name: string | null, text: string): boolean {
  if (name === null || call.name === null) return false
  if (name !== call.name) return true
  return text.startsWith('{') && call.last.length <= wholeLengthMax && parseObject(call.last) !== null
}
