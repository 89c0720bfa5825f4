import type { Wire } from '#wire/wire.ts'
import { messagesErrorBody } from './errors.ts'
import { parseMessagesRequest } from './request-facts.ts'
import { MessagesStream } from './stream.ts'
import { readMessagesResponse } from './whole-answer.ts'

/** Anthropic's messages. */
export const messages: Wire = {
  parseRequest: (text) => parseMessagesRequest(text),
  readAnswer: (text, request) => readMessagesResponse(text, request.model),
  openStream: (request) => new MessagesStream(request.model),
  errorBody: messagesErrorBody,
}
