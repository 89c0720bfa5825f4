import type { Codec } from '#convert/codec-interface.ts'
import { unlessRefused } from '#wire/wire-request.ts'
import { decodeGenerateAnswer, GenerateDecoder } from './answer-decoder.ts'
import { encodeGenerateAnswer, GenerateEncoder } from './answer-encoder.ts'
import { readGenerateRequest } from './read-request.ts'
import { writeGenerateRequest } from './write-request.ts'

export const generate: Codec = {
  readRequest: (request) => unlessRefused(() => readGenerateRequest(request)),
  writeRequest: writeGenerateRequest,
  decoder: (options) => new GenerateDecoder(options),
  decodeAnswer: decodeGenerateAnswer,
  encoder: (options) => new GenerateEncoder(options),
  encodeAnswer: encodeGenerateAnswer,
}
