import type { AnswerDecoder, DecoderOptions } from '#convert/codec-interface.ts'
import {
  isAbsent,
  isObject,
  listOf,
  numberOrNull,
  objectOf,
  printValue,
  textOrNull,
  type JsonObject,
} from '#wire/text/json-values.ts'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { usageFromConverse } from '#wire/converse/usage.ts'
import { providerErrorOf, unnamedError } from '#wire/read-provider-error.ts'
import { finishReasonOf } from './finish-reasons.ts'

export function converseDecoder(options: DecoderOptions): AnswerDecoder {
  return new ConverseDecoder(options)
}

export function decodeConverseAnswer(
  body: JsonObject,
  options: DecoderOptions,
): readonly NeutralEvent[] | null {
  const { message } = objectOf(body.output)
  if (!isObject(message)) return null
  const decoder = new ConverseDecoder(options)
  const frames = listOf(message.content).flatMap((block, index) => framesOf(objectOf(block), index))
  const { serviceTier, stopReason, usage } = body
  return [
    { messageStart: message },
    ...frames,
    { messageStop: { stopReason } },
    ...(isAbsent(usage) ? [] : [{ metadata: { usage, serviceTier } }]),
  ].flatMap((frame) => decoder.push(frame))
}

function framesOf(block: JsonObject, contentBlockIndex: number): readonly JsonObject[] {
  const delta = (part: JsonObject): JsonObject => ({ contentBlockDelta: { contentBlockIndex, delta: part } })
  if (isObject(block.toolUse)) {
    const { input, ...start } = block.toolUse
    return [
      { contentBlockStart: { contentBlockIndex, start: { toolUse: start } } },
      ...(isAbsent(input) ? [] : [delta({ toolUse: { input: printValue(input) } })]),
      { contentBlockStop: { contentBlockIndex } },
    ]
  }
  if (isObject(block.reasoningContent))
    return [delta({ reasoningContent: objectOf(block.reasoningContent.reasoningText) })]
  const { citations, content } = objectOf(block.citationsContent)
  if (Array.isArray(content))
    return [
      ...content.map((part) => delta(objectOf(part))),
      ...listOf(citations).map((citation) => delta({ citation: objectOf(citation) })),
    ]
  return [delta(block)]
}

/**
 * Converts frames of a Converse stream to events (docs/reference/wires.md "Bedrock"). A frame has one member, whose
 * name is the type of the event. Events of unknown types are skipped.
 */
class ConverseDecoder implements AnswerDecoder {
  isOver = false
  readonly #callIdPrefix: string
  /** By the index of the block. */
  readonly #calls = new Map<number, { readonly slot: number; hasArguments: boolean }>()
  #hasStarted = false
  #slots = 0

  constructor({ callIdPrefix }: DecoderOptions) {
    this.#callIdPrefix = callIdPrefix
  }

  push(frame: JsonObject): readonly NeutralEvent[] {
    if (!isAbsent(frame.error) || frame.type === 'error')
      return [{ kind: 'error', error: providerErrorOf(frame) ?? unnamedError }]
    const events: NeutralEvent[] = []
    if (!this.#hasStarted) events.push({ kind: 'start', id: null })
    this.#hasStarted = true
    const { contentBlockDelta, contentBlockStart, contentBlockStop, messageStop, metadata } = frame
    if (isObject(contentBlockStart)) events.push(...this.#open(contentBlockStart))
    if (isObject(contentBlockDelta)) events.push(...this.#grow(contentBlockDelta))
    if (isObject(contentBlockStop)) events.push(...this.#close(indexOf(contentBlockStop)))
    if (isObject(messageStop)) events.push(finishOf(messageStop))
    if (isObject(metadata)) {
      // The usage arrives after the finish, in the last event.
      events.push({ kind: 'usage', usage: usageFromConverse(metadata) })
      this.isOver = true
    }
    return events
  }

  /** Blocks that are still open at the end of the stream are not ended, because they were cut off. */
  end(): readonly NeutralEvent[] {
    return []
  }

  #open(block: JsonObject): readonly NeutralEvent[] {
    const { toolUse } = objectOf(block.start)
    if (!isObject(toolUse)) return []
    // The client must not run a tool that Bedrock has already run.
    if (!isAbsent(toolUse.type)) return [{ kind: 'lost', what: 'toolUse' }]
    const slot = this.#slots++
    this.#calls.set(indexOf(block), { slot, hasArguments: false })
    const id = textOrNull(toolUse.toolUseId) || `${this.#callIdPrefix}${slot}`
    const name = textOrNull(toolUse.name) ?? ''
    return [{ kind: 'tool_call', choice: 0, slot, id, name, isCustom: false }]
  }

  #grow(block: JsonObject): readonly NeutralEvent[] {
    const { citation, reasoningContent, text, toolUse } = objectOf(block.delta)
    if (typeof text === 'string') return text === '' ? [] : [{ kind: 'text', choice: 0, text }]
    if (isObject(reasoningContent)) {
      const thought = textOrNull(reasoningContent.text)
      return thought ? [{ kind: 'reasoning', choice: 0, text: thought }] : []
    }
    if (isObject(toolUse)) {
      const call = this.#calls.get(indexOf(block))
      const input = textOrNull(toolUse.input) ?? ''
      if (call === undefined || input === '') return []
      call.hasArguments = true
      return [{ kind: 'arguments', choice: 0, slot: call.slot, text: input }]
    }
    return isAbsent(citation) ? [{ kind: 'lost', what: 'content' }] : [citedBy(objectOf(citation))]
  }

  #close(index: number): readonly NeutralEvent[] {
    const call = this.#calls.get(index)
    this.#calls.delete(index)
    if (call === undefined) return []
    const { hasArguments, slot } = call
    const end: NeutralEvent = { kind: 'tool_call_end', choice: 0, slot }
    return hasArguments ? [end] : [{ kind: 'arguments', choice: 0, slot, text: '{}' }, end]
  }
}

function indexOf({ contentBlockIndex }: JsonObject): number {
  return numberOrNull(contentBlockIndex) ?? 0
}

/** Citations of documents in the request are lost, because no other wire can express such citations. */
function citedBy({ location, title }: JsonObject): NeutralEvent {
  const url = textOrNull(objectOf(objectOf(location).web).url)
  if (!url) return { kind: 'lost', what: 'citations' }
  const citation = { url, title: textOrNull(title), start: null, end: null }
  return { kind: 'citation', choice: 0, citation }
}

function finishOf({ stopReason }: JsonObject): NeutralEvent {
  const reason = finishReasonOf(textOrNull(stopReason) ?? '')
  return { kind: 'finish', choice: 0, reason, stopSequence: null }
}
