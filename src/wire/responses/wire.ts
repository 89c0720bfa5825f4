import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import type { Wire } from '#wire/wire.ts'
import { openaiErrorBody } from '#wire/write-openai-error.ts'
import type { ProviderIds } from '#wire/types-of-replaced-ids.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { codeFactsOf } from './code-containers.ts'
import { settings } from './content-bound.ts'
import { parseResponsesRequest } from './parse-request.ts'
import { ResponsesFrameReader } from './frame-reader.ts'
import { readResponsesAnswer, type Reading } from './non-streaming-response.ts'

export const responses: Wire = {
  parseRequest: (text, _path, keep) => parseResponsesRequest(text, keep),
  readAnswer: (text, request, ids) => readResponsesAnswer(text, request.model, readingOf(request, ids)),
  openStream: (request, ids) =>
    new PassThroughStream(new ResponsesFrameReader(request.model, readingOf(request, ids))),
  errorBody: openaiErrorBody,
  settings,
}

function readingOf(request: WireRequest, ids: ProviderIds | undefined): Reading {
  return { ids, isBackground: request.isBackground, code: codeFactsOf(request) }
}
