import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import type { Wire } from '#wire/wire.ts'
import { messagesErrorBody } from './errors.ts'
import { settings } from './content-bound.ts'
import { parseMessagesRequest } from './parse-request.ts'
import { MessagesFacts } from './frame-facts.ts'
import { readMessagesResponse } from './whole-answer.ts'

/** Anthropic's messages. */
export const messages: Wire = {
  parseRequest: (text, _path, keep) => parseMessagesRequest(text, keep),
  readAnswer: (text, request) => readMessagesResponse(text, request.model),
  openStream: (request) => new PassThroughStream(new MessagesFacts(request.model)),
  errorBody: messagesErrorBody,
  settings,
}
