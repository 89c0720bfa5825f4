import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import type { Wire } from '#wire/wire.ts'
import { openaiErrorBody } from '#wire/openai-error.ts'
import { parseChatRequest, settings } from './parse-request.ts'
import { ChatFacts } from './frame-facts.ts'
import { readChatResponse } from './whole-answer.ts'

/** The wire of OpenAI's chat completions and all compatible servers. */
export const chat: Wire = {
  parseRequest: parseChatRequest,
  readAnswer: (text, { model }) => readChatResponse(text, model),
  openStream: ({ model, wantsUsage }) => new PassThroughStream(new ChatFacts(model, wantsUsage)),
  errorBody: openaiErrorBody,
  settings,
}
