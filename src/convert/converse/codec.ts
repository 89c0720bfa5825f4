import type { Codec } from '#convert/codec-interface.ts'
import { unlessRefused } from '#wire/wire-request.ts'
import { converseDecoder, decodeConverseAnswer } from './answer-decoder.ts'
import { converseEncoder, encodeConverseAnswer } from './answer-encoder.ts'
import { readConverseRequest } from './read-request.ts'
import { writeConverseRequest } from './write-request.ts'

export const converse: Codec = {
  readRequest: (request) => unlessRefused(() => readConverseRequest(request)),
  writeRequest: writeConverseRequest,
  decoder: converseDecoder,
  decodeAnswer: decodeConverseAnswer,
  encoder: converseEncoder,
  encodeAnswer: encodeConverseAnswer,
}
