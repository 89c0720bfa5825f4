import type { WireFormat } from '#wire/format.ts'
import { openaiErrorBody } from '#wire/openai-error.ts'
import { decodeResponsesAnswer, ResponsesDecoder } from './decode.ts'
import { encodeResponsesAnswer, ResponsesEncoder } from './encode.ts'
import { readResponsesRequest } from './read-request.ts'
import { parseResponsesRequest } from './request.ts'
import { readResponsesAnswer } from './response.ts'
import { ResponsesStream } from './stream.ts'
import { writeResponsesRequest } from './write-request.ts'

/** OpenAI's responses: POST /v1/responses (wire.md 4). */
export const responses: WireFormat = {
  parseRequest: parseResponsesRequest,
  readAnswer: (text, request) => readResponsesAnswer(text, request.model),
  openStream: (request) => new ResponsesStream(request.model),
  errorBody: openaiErrorBody,
  readRequest: readResponsesRequest,
  writeRequest: writeResponsesRequest,
  decoder: (options) => new ResponsesDecoder(options),
  decodeAnswer: decodeResponsesAnswer,
  encoder: (options) => new ResponsesEncoder(options),
  encodeAnswer: encodeResponsesAnswer,
}
