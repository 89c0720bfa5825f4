import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import type { Wire } from '#wire/wire.ts'
import { generateErrorBody } from './errors.ts'
import { parseGenerateRequest, settings } from './parse-request.ts'
import { GenerateFrameReader } from './frame-reader.ts'
import { readGenerateAnswer } from './non-streaming-response.ts'

/** Google's generateContent. */
export const generate: Wire = {
  parseRequest: parseGenerateRequest,
  readAnswer: (text, { model }) => readGenerateAnswer(text, model),
  openStream: (request) => new PassThroughStream(new GenerateFrameReader(request)),
  errorBody: generateErrorBody,
  settings,
}
