import type { TargetCodec } from '#convert/codec.ts'
import { converseDecoder, decodeConverseAnswer } from './answer-decoder.ts'
import { writeConverseRequest } from './write-request.ts'

/** The codec of Bedrock's Converse. No client of the gateway uses this wire. */
export const converse: TargetCodec = {
  writeRequest: writeConverseRequest,
  decoder: converseDecoder,
  decodeAnswer: decodeConverseAnswer,
}
