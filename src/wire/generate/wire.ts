import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import type { Wire } from '#wire/wire.ts'
import { generateErrorBody } from './errors.ts'
import { parseGenerateRequest, settings } from './parse-request.ts'
import { GenerateFacts } from './frame-facts.ts'
import { readGenerateAnswer } from './whole-answer.ts'

/** Google's generateContent. */
export const generate: Wire = {
  parseRequest: parseGenerateRequest,
  readAnswer: (text, { model }) => readGenerateAnswer(text, model),
  openStream: (request) => new PassThroughStream(new GenerateFacts(request)),
  errorBody: generateErrorBody,
  settings,
}
