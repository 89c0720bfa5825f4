import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { chat } from './chat/codec.ts'
import { cohere } from './cohere/codec.ts'
import type { Codec } from './codec-interface.ts'
import { converse } from './converse/codec.ts'
import { generate } from './generate/codec.ts'
import { messages } from './messages/codec.ts'
import { responses } from './responses/codec.ts'

export const codecs: Readonly<Record<WireName, Codec>> = {
  chat,
  messages,
  generate,
  responses,
  converse,
  cohere,
}
