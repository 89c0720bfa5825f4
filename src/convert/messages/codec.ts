import type { Codec } from '#convert/codec-interface.ts'
import { unlessRefused } from '#wire/wire-request.ts'
import { decodeMessagesAnswer, messagesDecoder } from './answer-decoder.ts'
import { encodeMessagesAnswer, messagesEncoder } from './answer-encoder.ts'
import { readMessagesRequest } from './read-request.ts'
import { writeMessagesRequest } from './write-request.ts'

export const messages: Codec = {
  readRequest: (request) => unlessRefused(() => readMessagesRequest(request)),
  writeRequest: writeMessagesRequest,
  decoder: messagesDecoder,
  decodeAnswer: decodeMessagesAnswer,
  encoder: messagesEncoder,
  encodeAnswer: encodeMessagesAnswer,
}
