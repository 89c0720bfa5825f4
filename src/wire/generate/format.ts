import type { WireFormat } from '#wire/format.ts'
import { decodeGenerateAnswer, GenerateDecoder } from './decode.ts'
import { encodeGenerateAnswer, GenerateEncoder } from './encode.ts'
import { generateErrorBody } from './errors.ts'
import { readGenerateRequest } from './read-request.ts'
import { parseGenerateRequest } from './request.ts'
import { readGenerateAnswer } from './response.ts'
import { GenerateStream } from './stream.ts'
import { writeGenerateRequest } from './write-request.ts'

/** Google's generateContent. */
export const generate: WireFormat = {
  parseRequest: parseGenerateRequest,
  readAnswer: (text, { model }) => readGenerateAnswer(text, model),
  openStream: (request) => new GenerateStream(request),
  errorBody: generateErrorBody,
  readRequest: readGenerateRequest,
  writeRequest: writeGenerateRequest,
  decoder: (options) => new GenerateDecoder(options),
  decodeAnswer: decodeGenerateAnswer,
  encoder: (options) => new GenerateEncoder(options),
  encodeAnswer: encodeGenerateAnswer,
}
