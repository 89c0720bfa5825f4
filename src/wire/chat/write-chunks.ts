import type { Usage } from '#money/usage.ts'
import type { WireError } from '#wire/wire-error.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { chatErrorFrames } from './errors.ts'
import { usageToChat } from './usage.ts'

/** The members at the start of every chunk of an answer. */
export interface ChatHead {
  readonly id: string
  readonly created: number
  readonly model: string
}

/** Writes one chunk as an event. */
export function chatFrame({ id, created, model }: ChatHead, fields: JsonObject): ByteText {
  const chunk = { id, object: 'chat.completion.chunk', created, model, ...fields }
  return byteTextOf(`data: ${JSON.stringify(chunk)}\n\n`)
}

/**
 * Writes the end of an answer that was cut by its spending limit: a finish, the complete usage, then the error. The
 * error makes official clients throw instead of accepting the answer as complete (docs/reference/rules.md "The end of a
 * cut stream").
 */
export function chatSpendFrames(head: ChatHead, usage: Usage, error: WireError, requestId: string): ByteText {
  return (
    chatFrame(head, { choices: [{ index: 0, delta: {}, finish_reason: 'spend_limit_exceeded' }] }) +
    chatFrame(head, { choices: [], usage: usageToChat(usage) }) +
    chatErrorFrames(error, requestId)
  )
}
