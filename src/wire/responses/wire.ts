import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import type { Wire } from '#wire/wire.ts'
import { openaiErrorBody } from '#wire/openai-error.ts'
import { settings } from './content-bound.ts'
import { parseResponsesRequest } from './parse-request.ts'
import { ResponsesFrameReader } from './frame-reader.ts'
import { readResponsesAnswer } from './non-streaming-response.ts'

/** OpenAI's responses: POST /v1/responses. */
export const responses: Wire = {
  parseRequest: (text, _path, keep) => parseResponsesRequest(text, keep),
  readAnswer: (text, request, ids) =>
    readResponsesAnswer(text, request.model, ids?.responses, request.isBackground),
  openStream: ({ isBackground, model }, ids) =>
    new PassThroughStream(new ResponsesFrameReader(model, ids?.responses, isBackground)),
  errorBody: openaiErrorBody,
  settings,
}
