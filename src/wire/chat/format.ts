import type { WireFormat } from '#wire/format.ts'
import { openaiErrorBody } from '#wire/openai-error.ts'
import { ChatDecoder, decodeChatAnswer } from './decode.ts'
import { ChatEncoder, encodeChatAnswer } from './encode.ts'
import { readChatRequest } from './read-request.ts'
import { parseChatRequest } from './request.ts'
import { readChatResponse } from './response.ts'
import { ChatStream } from './stream.ts'
import { writeChatRequest } from './write-request.ts'

/** OpenAI chat-completions, and all that follow it. */
export const chat: WireFormat = {
  parseRequest: parseChatRequest,
  readAnswer: (text, { model }) => readChatResponse(text, model),
  openStream: ({ model, wantsUsage }) => new ChatStream(model, wantsUsage),
  errorBody: openaiErrorBody,
  readRequest: readChatRequest,
  writeRequest: writeChatRequest,
  decoder: (options) => new ChatDecoder(options),
  decodeAnswer: decodeChatAnswer,
  encoder: (options) => new ChatEncoder(options),
  encodeAnswer: encodeChatAnswer,
}
