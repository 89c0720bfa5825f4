import type { WireFormat } from '#wire/format.ts'
import { decodeMessagesAnswer, messagesDecoder } from './decode.ts'
import { encodeMessagesAnswer } from './encode-answer.ts'
import { messagesEncoder } from './encode.ts'
import { messagesErrorBody } from './errors.ts'
import { readMessagesRequest } from './read-request.ts'
import { parseMessagesRequest } from './request.ts'
import { readMessagesResponse } from './response.ts'
import { MessagesStream } from './stream.ts'
import { writeMessagesRequest } from './write-request.ts'

/** Anthropic's messages (wire.md 2). */
export const messages: WireFormat = {
  parseRequest: (text) => parseMessagesRequest(text),
  readAnswer: (text, request) => readMessagesResponse(text, request.model),
  openStream: (request) => new MessagesStream(request.model),
  errorBody: messagesErrorBody,
  readRequest: readMessagesRequest,
  writeRequest: writeMessagesRequest,
  decoder: messagesDecoder,
  decodeAnswer: decodeMessagesAnswer,
  encoder: messagesEncoder,
  encodeAnswer: encodeMessagesAnswer,
}
