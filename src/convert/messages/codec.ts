import type { Codec } from '#convert/codec.ts'
import { decodeMessagesAnswer, messagesDecoder } from './decode.ts'
import { encodeMessagesAnswer } from './encode-answer.ts'
import { messagesEncoder } from './encode.ts'
import { readMessagesRequest } from './read-request.ts'
import { writeMessagesRequest } from './write-request.ts'

/** Anthropic's messages. */
export const messages: Codec = {
  readRequest: readMessagesRequest,
  writeRequest: writeMessagesRequest,
  decoder: messagesDecoder,
  decodeAnswer: decodeMessagesAnswer,
  encoder: messagesEncoder,
  encodeAnswer: encodeMessagesAnswer,
}
