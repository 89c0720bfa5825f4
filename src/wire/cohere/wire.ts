import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import type { Wire } from '#wire/wire.ts'
import { cohereErrorBody } from './errors.ts'
import { CohereFrameReader } from './frame-reader.ts'
import { readCohereResponse } from './non-streaming-response.ts'
import { parseCohereRequest, settings } from './parse-request.ts'

export const cohere: Wire = {
  parseRequest: parseCohereRequest,
  readAnswer: readCohereResponse,
  openStream: () => new PassThroughStream(new CohereFrameReader()),
  errorBody: cohereErrorBody,
  settings,
}
