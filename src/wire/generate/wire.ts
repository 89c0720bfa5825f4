import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import type { Wire } from '#wire/wire.ts'
import { parseCachedContent, readCachedContent } from './cached-content.ts'
import { generateErrorBody } from './errors.ts'
import { parseGenerateRequest, settings } from './parse-request.ts'
import { GenerateFrameReader } from './frame-reader.ts'
import { readGenerateAnswer } from './non-streaming-response.ts'

export const generate: Wire = {
  parseRequest: (body, path, keep) =>
    path.cached === undefined
      ? parseGenerateRequest(body, path, keep)
      : parseCachedContent(body, path.cached),
  readAnswer: (text, request, ids) =>
    request.caching === undefined
      ? readGenerateAnswer(text, request.model)
      : readCachedContent(text, request, ids),
  openStream: (request) => new PassThroughStream(new GenerateFrameReader(request)),
  errorBody: generateErrorBody,
  settings,
}
