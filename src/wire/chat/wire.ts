import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import type { Wire } from '#wire/wire.ts'
import { openaiErrorBody } from '#wire/write-openai-error.ts'
import { parseChatRequest, settings } from './parse-request.ts'
import { ChatFrameReader } from './frame-reader.ts'
import { readChatResponse } from './non-streaming-response.ts'

export const chat: Wire = {
  parseRequest: (body, _path, keep) => parseChatRequest(body, keep),
  readAnswer: (text, { model }) => readChatResponse(text, model),
  openStream: ({ model, wantsReport, wantsUsage }) =>
    new PassThroughStream(new ChatFrameReader(model, wantsUsage, undefined, wantsReport)),
  errorBody: openaiErrorBody,
  settings,
}
