import type { AnswerDecoder, DecoderOptions } from '#convert/codec-interface.ts'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { hasFailed } from '#wire/cohere/finish-reasons.ts'
import { usageFromCohere } from '#wire/cohere/usage.ts'
import { providerErrorOf, unnamedError } from '#wire/read-provider-error.ts'
import { isAbsent, isObject, listOf, numberOrNull, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { finishReasonOf } from './finish-reasons.ts'

export function cohereDecoder(options: DecoderOptions): AnswerDecoder {
  return new CohereDecoder(options)
}

export function decodeCohereAnswer(
  body: JsonObject,
  options: DecoderOptions,
): readonly NeutralEvent[] | null {
  const { finish_reason: reason, id, message, usage } = body
  if (!isObject(message) || hasFailed(textOrNull(reason))) return null
  const decoder = new CohereDecoder(options)
  const { citations, content, tool_calls: calls, tool_plan: plan } = message
  const delta = (type: string, inner: JsonObject, index = 0): JsonObject => ({
    type,
    index,
    delta: { message: inner },
  })
  const texts = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
  return [
    { type: 'message-start', id },
    ...texts.map((part) => delta('content-start', { content: part })),
    delta('tool-plan-delta', { tool_plan: plan }),
    ...listOf(calls).flatMap((call, i) => [
      delta('tool-call-start', { tool_calls: call }, i),
      { type: 'tool-call-end', index: i },
    ]),
    ...listOf(citations).map((citation) => delta('citation-start', { citations: citation })),
    { type: 'message-end', delta: { finish_reason: reason, usage } },
  ].flatMap((frame) => decoder.push(frame))
}

/**
 * Converts frames of a stream of Cohere's chat to events (docs/reference/wires.md "Cohere's chat"). Events of unknown
 * types are skipped.
 */
class CohereDecoder implements AnswerDecoder {
  isOver = false
  readonly #callIdPrefix: string
  readonly #calls = new Map<number, { readonly slot: number; hasArguments: boolean }>()
  #slots = 0
  #hasStarted = false

  constructor({ callIdPrefix }: DecoderOptions) {
    this.#callIdPrefix = callIdPrefix
  }

  push(frame: JsonObject): readonly NeutralEvent[] {
    const delta = objectOf(frame.delta)
    const message = objectOf(delta.message)
    switch (frame.type) {
      case 'message-start':
        return this.#start(textOrNull(frame.id))
      case 'content-start':
      case 'content-delta':
        return this.#started(textsOf(objectOf(message.content)))
      case 'tool-plan-delta':
        return this.#started(textEvent('text', textOrNull(message.tool_plan)))
      case 'tool-call-start':
        return this.#started(this.#open(indexOf(frame), objectOf(message.tool_calls)))
      case 'tool-call-delta':
        return this.#grow(indexOf(frame), objectOf(objectOf(message.tool_calls).function))
      case 'tool-call-end':
        return this.#close(indexOf(frame))
      case 'citation-start':
        return [{ kind: 'lost', what: 'citations' }]
      case 'message-end':
        return this.#started(this.#finish(delta))
      default: {
        const error = providerErrorOf(frame)
        if (error !== null) return [{ kind: 'error', error }]
        return frame.type === 'error' ? [{ kind: 'error', error: unnamedError }] : []
      }
    }
  }

  /** Tool calls that are still open at the end of the stream were cut off, and are not ended. */
  end(): readonly NeutralEvent[] {
    return []
  }

  #start(id: string | null): readonly NeutralEvent[] {
    if (this.#hasStarted) return []
    this.#hasStarted = true
    return [{ kind: 'start', id }]
  }

  #started(events: readonly NeutralEvent[]): readonly NeutralEvent[] {
    return this.#hasStarted ? events : [...this.#start(null), ...events]
  }

  #open(index: number, call: JsonObject): readonly NeutralEvent[] {
    const called = objectOf(call.function)
    const slot = this.#slots++
    this.#calls.set(index, { slot, hasArguments: false })
    const id = textOrNull(call.id) || `${this.#callIdPrefix}${slot}`
    const name = textOrNull(called.name) ?? ''
    return [{ kind: 'tool_call', choice: 0, slot, id, name, isCustom: false }, ...this.#grow(index, called)]
  }

  #grow(index: number, { arguments: given }: JsonObject): readonly NeutralEvent[] {
    const call = this.#calls.get(index)
    const text = textOrNull(given) ?? ''
    if (call === undefined || text === '') return []
    call.hasArguments = true
    return [{ kind: 'arguments', choice: 0, slot: call.slot, text }]
  }

  #close(index: number): readonly NeutralEvent[] {
    const call = this.#calls.get(index)
    this.#calls.delete(index)
    if (call === undefined) return []
    const { hasArguments, slot } = call
    const end: NeutralEvent = { kind: 'tool_call_end', choice: 0, slot }
    return hasArguments ? [end] : [{ kind: 'arguments', choice: 0, slot, text: '{}' }, end]
  }

  #finish(delta: JsonObject): readonly NeutralEvent[] {
    this.isOver = true
    const usage = isAbsent(delta.usage) ? null : usageFromCohere(delta.usage)
    const reason = textOrNull(delta.finish_reason) ?? ''
    if (hasFailed(reason)) return [{ kind: 'error', error: providerErrorOf(delta) ?? unnamedError, usage }]
    return [
      ...(isAbsent(delta.usage) ? [] : [{ kind: 'usage', usage } as const]),
      { kind: 'finish', choice: 0, reason: finishReasonOf(reason), stopSequence: null },
    ]
  }
}

function indexOf({ index }: JsonObject): number {
  return numberOrNull(index) ?? 0
}

function textsOf({ text, thinking }: JsonObject): readonly NeutralEvent[] {
  return [...textEvent('reasoning', textOrNull(thinking)), ...textEvent('text', textOrNull(text))]
}

function textEvent(kind: 'text' | 'reasoning', text: string | null): readonly NeutralEvent[] {
  return text ? [{ kind, choice: 0, text }] : []
}
