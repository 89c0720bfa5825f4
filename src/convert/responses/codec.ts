import type { Codec } from '#convert/codec-interface.ts'
import { unlessRefused } from '#wire/wire-request.ts'
import { decodeResponsesAnswer, ResponsesDecoder } from './answer-decoder.ts'
import { encodeResponsesAnswer, ResponsesEncoder } from './answer-encoder.ts'
import { readResponsesRequest } from './read-request.ts'
import { writeResponsesRequest } from './write-request.ts'

export const responses: Codec = {
  readRequest: (request) => unlessRefused(() => readResponsesRequest(request)),
  writeRequest: writeResponsesRequest,
  decoder: (options) => new ResponsesDecoder(options),
  decodeAnswer: decodeResponsesAnswer,
  encoder: (options) => new ResponsesEncoder(options),
  encodeAnswer: encodeResponsesAnswer,
}
