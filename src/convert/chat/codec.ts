import type { Codec } from '#convert/codec-interface.ts'
import { unlessRefused } from '#wire/wire-request.ts'
import { ChatDecoder, decodeChatAnswer } from './answer-decoder.ts'
import { ChatEncoder, encodeChatAnswer } from './answer-encoder.ts'
import { readChatRequest } from './read-request.ts'
import { writeChatRequest } from './write-request.ts'

export const chat: Codec = {
  readRequest: (request) => unlessRefused(() => readChatRequest(request)),
  writeRequest: writeChatRequest,
  decoder: (options) => new ChatDecoder(options),
  decodeAnswer: decodeChatAnswer,
  encoder: (options) => new ChatEncoder(options),
  encodeAnswer: encodeChatAnswer,
}
