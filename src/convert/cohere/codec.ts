import type { Codec } from '#convert/codec-interface.ts'
import { unlessRefused } from '#wire/wire-request.ts'
import { cohereDecoder, decodeCohereAnswer } from './answer-decoder.ts'
import { cohereEncoder, encodeCohereAnswer } from './answer-encoder.ts'
import { readCohereRequest } from './read-request.ts'
import { writeCohereRequest } from './write-request.ts'

export const cohere: Codec = {
  readRequest: (request) => unlessRefused(() => readCohereRequest(request)),
  writeRequest: writeCohereRequest,
  decoder: cohereDecoder,
  decodeAnswer: decodeCohereAnswer,
  encoder: cohereEncoder,
  encodeAnswer: encodeCohereAnswer,
}
