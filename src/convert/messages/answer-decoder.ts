import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import type { AnswerDecoder, DecoderOptions } from '#convert/codec-interface.ts'
import {
  isAbsent,
  isObject,
  listOf,
  numberOrNull,
  objectOf,
  printValue,
  textOrNull,
} from '#wire/text/json-values.ts'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { providerErrorOf, unnamedError } from '#wire/read-provider-error.ts'
import { finishReasonOf } from './message-object-and-stop-reason.ts'
import type { Usage } from '#money/usage-counts.ts'
import { mergedUsage, usageFromMessages } from '#wire/messages/usage.ts'

export function messagesDecoder(options: DecoderOptions): AnswerDecoder {
  return new MessagesDecoder(options)
}

export function decodeMessagesAnswer(
  body: JsonObject,
  options: DecoderOptions,
): readonly NeutralEvent[] | null {
  if (!Array.isArray(body.content)) return null
  const decoder = new MessagesDecoder(options)
  return [
    ...decoder.push({ type: 'message_start', message: body }),
    ...decoder.push({ type: 'message_delta', delta: body, usage: body.usage }),
  ]
}

/**
 * Converts frames of a messages stream to events (docs/reference/wires.md "Streams on the messages wire"). Events of
 * unknown types are skipped.
 */
class MessagesDecoder implements AnswerDecoder {
  isOver = false
  readonly #origin: string
  readonly #callIdPrefix: string
  readonly #blocks = new Map<number, Block>()
  #hasStarted = false
  #hasBlocks = false
  #slots = 0
  #usage: JsonObject = {}

  constructor({ origin, callIdPrefix }: DecoderOptions) {
    this.#origin = origin
    this.#callIdPrefix = callIdPrefix
  }

  get inputUsage(): Usage | null {
    return usageFromMessages(this.#usage)
  }

  push(frame: JsonObject): readonly NeutralEvent[] {
    switch (frame.type) {
      case 'message_start':
        return this.#start(objectOf(frame.message))
      case 'content_block_start':
        return this.#open(numberOrNull(frame.index) ?? 0, objectOf(frame.content_block))
      case 'content_block_delta':
        this.#hasBlocks = true
        return this.#grow(this.#blocks.get(numberOrNull(frame.index) ?? 0), objectOf(frame.delta))
      case 'content_block_stop':
        return this.#close(numberOrNull(frame.index) ?? 0)
      case 'message_delta':
        return this.#end(objectOf(frame.delta), frame.usage)
      case 'message_stop':
        this.isOver = true
        return []
      default:
        // The error has the format of the messages wire, or of a server to which the provider forwards requests.
        if (frame.type !== 'error' && isAbsent(frame.error)) return []
        return [{ kind: 'error', error: providerErrorOf(frame) ?? unnamedError }]
    }
  }

  /** Blocks that are still open at the end of the stream are not ended, because they were cut off. */
  end(): readonly NeutralEvent[] {
    return []
  }

  #start(message: JsonObject): readonly NeutralEvent[] {
    // If the first frame is repeated before the answer, the repetition has no effect. If the first frame is repeated in
    // the middle of an answer, a proxy may have mixed another response into the stream. A client that reads the two
    // responses as one could run an incomplete tool call (docs/reference/wires.md "Streams on the messages wire").
    if (this.#hasBlocks) return [{ kind: 'error', error: unnamedError }]
    this.#usage = mergedUsage(this.#usage, message.usage)
    if (this.#hasStarted) return []
    this.#hasStarted = true
    const events: NeutralEvent[] = [{ kind: 'start', id: textOrNull(message.id) }]
    for (const [i, block] of listOf(message.content).entries())
      events.push(...this.#open(i, objectOf(block)), ...this.#close(i))
    return events
  }

  #open(index: number, block: JsonObject): readonly NeutralEvent[] {
    this.#hasBlocks = true
    switch (block.type) {
      case 'text':
      case 'thinking':
        this.#blocks.set(index, { kind: block.type, signature: textOrNull(block.signature) ?? '' })
        return [...this.#text(block.type, block[block.type]), ...listOf(block.citations).flatMap(citationOf)]
      case 'redacted_thinking':
        return block.data ? [this.#signature('redacted', textOrNull(block.data) ?? '')] : []
      case 'tool_use': {
        const slot = this.#slots++
        this.#blocks.set(index, { kind: 'tool', slot, input: objectOf(block.input), hasArguments: false })
        const id = textOrNull(block.id) || `${this.#callIdPrefix}${slot}`
        const name = textOrNull(block.name) ?? ''
        return [{ kind: 'tool_call', choice: 0, slot, id, name, isCustom: false }]
      }
      default:
        return [{ kind: 'lost', what: textOrNull(block.type) ?? 'content_block' }]
    }
  }

  #grow(block: Block | undefined, delta: JsonObject): readonly NeutralEvent[] {
    switch (delta.type) {
      case 'text_delta':
        return this.#text('text', delta.text)
      case 'thinking_delta':
        return this.#text('thinking', delta.thinking)
      case 'signature_delta':
        if (block?.kind === 'thinking') block.signature = textOrNull(delta.signature) ?? ''
        return []
      case 'input_json_delta': {
        const text = textOrNull(delta.partial_json) ?? ''
        if (block?.kind !== 'tool' || text === '') return []
        block.hasArguments = true
        return [{ kind: 'arguments', choice: 0, slot: block.slot, text }]
      }
      case 'citations_delta':
        return citationOf(delta.citation)
      default:
        return []
    }
  }

  #close(index: number): readonly NeutralEvent[] {
    const block = this.#blocks.get(index)
    this.#blocks.delete(index)
    if (block?.kind === 'thinking' && block.signature !== '')
      return [this.#signature('signature', block.signature)]
    if (block?.kind !== 'tool') return []
    const { slot, input, hasArguments } = block
    const end: NeutralEvent = { kind: 'tool_call_end', choice: 0, slot }
    // A tool call without arguments has no deltas, or empty deltas (docs/reference/wires.md "Streams on the messages
    // wire").
    return hasArguments ? [end] : [{ kind: 'arguments', choice: 0, slot, text: printValue(input) }, end]
  }

  #end(delta: JsonObject, usage: JsonValue): readonly NeutralEvent[] {
    const events: NeutralEvent[] = []
    if (isObject(usage)) {
      this.#usage = mergedUsage(this.#usage, usage)
      events.push({ kind: 'usage', usage: usageFromMessages(this.#usage) })
    }
    const stopReason = textOrNull(delta.stop_reason)
    if (stopReason === null) return events
    const explanation = textOrNull(objectOf(delta.stop_details).explanation)
    if (explanation) events.unshift({ kind: 'refusal', choice: 0, text: explanation })
    const reason = finishReasonOf(stopReason)
    const stopSequence = reason === 'stop_sequence' ? textOrNull(delta.stop_sequence) : null
    events.push({ kind: 'finish', choice: 0, reason, stopSequence })
    return events
  }

  #text(kind: 'text' | 'thinking', value: JsonValue): readonly NeutralEvent[] {
    const text = textOrNull(value)
    if (!text) return []
    return [{ kind: kind === 'text' ? 'text' : 'reasoning', choice: 0, text }]
  }

  #signature(kind: 'signature' | 'redacted', data: string): NeutralEvent {
    return {
      kind: 'signature',
      choice: 0,
      signature: { wire: 'messages', origin: this.#origin, kind, data, id: null },
    }
  }
}

type Block =
  | { readonly kind: 'text' | 'thinking'; signature: string }
  | { readonly kind: 'tool'; readonly slot: number; readonly input: JsonObject; hasArguments: boolean }

/** Citations of documents in the request are lost, because no other wire can express such citations. */
function citationOf(value: JsonValue): readonly NeutralEvent[] {
  const { url, title } = objectOf(value)
  if (typeof url !== 'string') return [{ kind: 'lost', what: 'citations' }]
  return [
    { kind: 'citation', choice: 0, citation: { url, title: textOrNull(title), start: null, end: null } },
  ]
}
