import { ChatFacts, type ChunkForm } from '#wire/chat/frame-facts.ts'
import { readChatResponse } from '#wire/chat/whole-answer.ts'
import { chatErrorFrames } from '#wire/chat/errors.ts'
import { usageToChat } from '#wire/chat/usage.ts'
import type { ChatHead } from '#wire/chat/write-chunks.ts'
import { openaiErrorBody } from '#wire/openai-error.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import type { Wire } from '#wire/wire.ts'
import { parseCompletions, settings, textOfCompletions } from './request.ts'

function frame({ created, id, model }: ChatHead, fields: JsonObject): ByteText {
  return byteTextOf(
    `data: ${JSON.stringify({ id, object: 'text_completion', created, model, ...fields })}\n\n`,
  )
}

/** The text of a choice is in the choice itself, and so is its part in a chunk. */
const form: ChunkForm = {
  texts: new Set(['text']),
  spendFrames: (head, usage, error, requestId) =>
    frame(head, {
      choices: [{ index: 0, text: '', logprobs: null, finish_reason: 'spend_limit_exceeded' }],
    }) +
    frame(head, { choices: [], usage: usageToChat(usage) }) +
    chatErrorFrames(error, requestId),
}

/** Text completions of OpenAI's older models and of compatible servers. Usage, errors and ends are those of chat. */
export const completions: Wire = {
  parseRequest: parseCompletions,
  readAnswer: (text, { model }) => readChatResponse(text, model),
  openStream: ({ model, wantsUsage }) => new PassThroughStream(new ChatFacts(model, wantsUsage, form)),
  taskText: textOfCompletions,
  errorBody: openaiErrorBody,
  settings,
}
