import { appendAll } from '#convert/append-all.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { providerErrorOf, unnamedError, type ProviderError } from '#wire/read-provider-error.ts'
import type { AnswerDecoder, DecoderOptions } from '#convert/codec-interface.ts'
import { isAbsent, isObject, listOf, numberOrNull, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { FinishReason, NeutralEvent } from '#convert/neutral-format.ts'
import { DecodedItems } from './item-decoder.ts'
import { isUnfinished } from '#wire/responses/non-streaming-response.ts'
import { usageOfResponse } from '#wire/responses/usage.ts'

/**
 * Reads a provider's stream of events (docs/reference/wires.md "Streams on the responses wire"). Unknown events are
 * skipped.
 */
export class ResponsesDecoder implements AnswerDecoder {
  isOver = false
  readonly #items: DecodedItems
  #hasStarted = false
  /** A failed response may follow the error. */
  #error: ProviderError | null = null

  constructor(options: DecoderOptions) {
    this.#items = new DecodedItems(options)
  }

  push(frame: JsonObject): readonly NeutralEvent[] {
    if (this.isOver) return []
    const { type } = frame
    const response = objectOf(frame.response)
    if (this.#error) return this.#failed(type === 'response.failed' ? response : {})
    // Some servers put the error of a failed response next to the response, or send the event of a completed response.
    const hasFailed = type === 'response.completed' && response.status === 'failed'
    if (type === 'response.failed' || type === 'response.cancelled' || hasFailed)
      return this.#failed(response, frame)
    // Reads an error that is nested, as it is sent, or flat, as it is documented (docs/reference/wires.md "Errors on
    // the responses wire").
    if (type === 'error' || !isAbsent(frame.error)) {
      this.#error = providerErrorOf(frame) ?? unnamedError
      return []
    }
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        return this.#started(response)
      case 'response.completed':
      case 'response.incomplete':
        return this.#finished(response, type === 'response.incomplete' || response.status === 'incomplete')
      case 'response.output_item.added':
        return this.#items.added(indexOf(frame.output_index), objectOf(frame.item))
      case 'response.output_item.done':
        return this.#items.done(indexOf(frame.output_index), objectOf(frame.item))
      default:
        return typeof type === 'string' ? this.#items.pushed(type, indexOf(frame.output_index), frame) : []
    }
  }

  end(): readonly NeutralEvent[] {
    return this.isFailing ? this.#failed({}) : []
  }

  /** OpenAI sends an error and then the failed response, which may contain the usage. */
  get isFailing(): boolean {
    return this.#error !== null && !this.isOver
  }

  #started(response: JsonObject): readonly NeutralEvent[] {
    if (this.#hasStarted) return []
    this.#hasStarted = true
    return [{ kind: 'start', id: textOrNull(response.id) }]
  }

  #finished(response: JsonObject, isIncomplete: boolean): readonly NeutralEvent[] {
    this.isOver = true
    const events: NeutralEvent[] = [...this.#started(response)]
    // Some servers stream the text, and then send an empty output. Other servers stream nothing, and then send the
    // whole output (docs/reference/wires.md "Streams on the responses wire"). The output of the completed response is
    // used only if no events arrived.
    if (this.#items.isEmpty) {
      for (const [index, item] of listOf(response.output).entries())
        appendAll(events, this.#items.done(index, objectOf(item)))
    }
    const reason = isIncomplete ? incompleteReason(response) : this.#items.reason()
    // If the output maximum truncated a tool call, the call is incomplete. If only the last event of a call is missing,
    // the call is complete.
    if (!isIncomplete) appendAll(events, this.#items.ended())
    events.push(...usageEvents(response))
    events.push({ kind: 'finish', choice: 0, reason, stopSequence: null })
    return events
  }

  /** @param failed the failed response, which may contain the usage */
  #failed(failed: JsonObject, frame: JsonObject = {}): readonly NeutralEvent[] {
    this.isOver = true
    const error = this.#error ?? providerErrorOf(failed) ?? providerErrorOf(frame) ?? unnamedError
    return [{ kind: 'error', error, ...(isObject(failed.usage) && { usage: usageOfResponse(failed) }) }]
  }
}

/** Null if the body is not a response, or if the response has failed. */
export function decodeResponsesAnswer(
  body: JsonObject,
  options: DecoderOptions,
): readonly NeutralEvent[] | null {
  const { output, error, status } = body
  if (!Array.isArray(output) || isObject(error)) return null
  if (typeof status === 'string' && isUnfinished(status)) return null
  const type = status === 'incomplete' ? 'response.incomplete' : 'response.completed'
  return new ResponsesDecoder(options).push({ type, response: body })
}

function usageEvents(response: JsonObject): readonly NeutralEvent[] {
  return isObject(response.usage) ? [{ kind: 'usage', usage: usageOfResponse(response) }] : []
}

/** See docs/reference/conversions.md "Finish reasons". */
function incompleteReason(response: JsonObject): FinishReason {
  switch (objectOf(response.incomplete_details).reason) {
    case 'max_output_tokens':
      return 'max_output'
    case 'content_filter':
      return 'filtered'
    case 'max_messages':
    case 'steered':
      return 'pause'
    default:
      return 'other'
  }
}

/**
 * Some servers change item IDs during a stream, so the index identifies an item (docs/reference/wires.md "Streams on
 * the responses wire"). 0 if the event has no index.
 */
function indexOf(value: JsonValue): number {
  return numberOrNull(value) ?? 0
}
