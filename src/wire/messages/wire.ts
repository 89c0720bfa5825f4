import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import type { Wire } from '#wire/wire.ts'
import { messagesErrorBody } from './errors.ts'
import { settings } from './content-bound.ts'
import { parseMessagesRequest } from './parse-request.ts'
import { MessagesFrameReader } from './frame-reader.ts'
import { readMessagesResponse } from './non-streaming-response.ts'

/** Anthropic's messages. */
export const messages: Wire = {
  parseRequest: (text, _path, keep) => parseMessagesRequest(text, keep),
  readAnswer: (text, request) => readMessagesResponse(text, request.model),
  openStream: (request) => new PassThroughStream(new MessagesFrameReader(request.model)),
  errorBody: messagesErrorBody,
  settings,
}
