import type { Wire } from '#wire/wire.ts'
import { generateErrorBody } from './errors.ts'
import { parseGenerateRequest } from './request-facts.ts'
import { GenerateStream } from './stream.ts'
import { readGenerateAnswer } from './whole-answer.ts'

/** Google's generateContent. */
export const generate: Wire = {
  parseRequest: parseGenerateRequest,
  readAnswer: (text, { model }) => readGenerateAnswer(text, model),
  openStream: (request) => new GenerateStream(request),
  errorBody: generateErrorBody,
}
