import type { Wire } from '#wire/wire.ts'
import { openaiErrorBody } from '#wire/openai-error.ts'
import { parseResponsesRequest } from './request-facts.ts'
import { ResponsesStream } from './stream.ts'
import { readResponsesAnswer } from './whole-answer.ts'

/** OpenAI's responses: POST /v1/responses. */
export const responses: Wire = {
  parseRequest: parseResponsesRequest,
  readAnswer: (text, request) => readResponsesAnswer(text, request.model),
  openStream: (request) => new ResponsesStream(request.model),
  errorBody: openaiErrorBody,
}
