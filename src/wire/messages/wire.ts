import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import type { Wire } from '#wire/wire.ts'
import { messagesErrorBody } from './errors.ts'
import { settings } from './content-bound.ts'
import { parseMessagesRequest } from './parse-request.ts'
import { MessagesFrameReader } from './frame-reader.ts'
import { readMessagesResponse } from './non-streaming-response.ts'
import { runFactsOf } from './code-execution-facts.ts'

export const messages: Wire = {
  parseRequest: (text, path, keep) => parseMessagesRequest(text, keep, path),
  readAnswer: (text, request, ids) =>
    readMessagesResponse(text, request.model, runFactsOf(request), ids?.containers),
  openStream: (request, ids) =>
    new PassThroughStream(new MessagesFrameReader(request.model, runFactsOf(request), ids?.containers)),
  errorBody: messagesErrorBody,
  settings,
}
