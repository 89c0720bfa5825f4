import type { Usage } from '#money/usage-counts.ts'
import { chunkTypes } from '#wire/names-of-wires-and-tasks.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { chatErrorFrames } from './errors.ts'
import { usageToChat } from './usage.ts'

export interface ChatHead {
  readonly id: string
  readonly created: number
  readonly model: string
}

export interface ChunkForm {
  readonly object: string
  /** An empty piece of the answer, as the member of a choice. */
  readonly nothing: JsonObject
}

/** The choice of a usage chunk, for clients that read the first choice of each chunk. */
export const choiceWithoutOutput: JsonObject = { index: 0, delta: { content: '' }, finish_reason: null }

const chatForm: ChunkForm = { object: chunkTypes.chat, nothing: { delta: {} } }

export function chatFrame(
  { id, created, model }: ChatHead,
  fields: JsonObject,
  { object }: ChunkForm = chatForm,
): ByteText {
  const chunk = { id, object, created, model, ...fields }
  return byteTextOf(`data: ${JSON.stringify(chunk)}\n\n`)
}

/**
 * Writes the end of an answer that a spending limit interrupts: a finish reason, the complete usage, then the error. At
 * the error, official clients throw instead of accepting the answer as complete (docs/reference/rules.md "The end of an
 * interrupted stream").
 */
export function chatSpendFrames(
  head: ChatHead,
  usage: Usage,
  error: WireError,
  requestId: string,
  form: ChunkForm = chatForm,
): ByteText {
  const cut = { index: 0, ...form.nothing, finish_reason: 'spend_limit_exceeded' }
  return (
    chatFrame(head, { choices: [cut] }, form) +
    chatFrame(head, { choices: [], usage: usageToChat(usage) }, form) +
    chatErrorFrames(error, requestId)
  )
}
