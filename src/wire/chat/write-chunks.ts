import type { Usage } from '#money/usage.ts'
import type { WireError } from '#wire/wire-error.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { chatErrorFrames } from './errors.ts'
import { usageToChat } from './usage.ts'

/** The members that every chunk of an answer begins with. */
export interface ChatHead {
  readonly id: string
  readonly created: number
  readonly model: string
}

/** One chunk as an event. */
export function chatFrame({ id, created, model }: ChatHead, fields: JsonObject): ByteText {
  const chunk = { id, object: 'chat.completion.chunk', created, model, ...fields }
  return byteTextOf(`data: ${JSON.stringify(chunk)}\n\n`)
}

/**
 * The end of an answer that spend has cut: a finish, the complete usage, then the error that makes
 * official clients throw rather than take the answer for whole (docs/reference/rules.md "The end of a cut stream").
 */
export function chatSpendFrames(head: ChatHead, usage: Usage, error: WireError, requestId: string): ByteText {
  return (
    chatFrame(head, { choices: [{ index: 0, delta: {}, finish_reason: 'spend_limit_exceeded' }] }) +
    chatFrame(head, { choices: [], usage: usageToChat(usage) }) +
    chatErrorFrames(error, requestId)
  )
}
