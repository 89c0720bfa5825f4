import type { TargetWire, WireName } from '#wire/request-formats.ts'
import { chat } from './chat/codec.ts'
import type { Codec, TargetCodec } from './codec.ts'
import { converse } from './converse/codec.ts'
import { generate } from './generate/codec.ts'
import { messages } from './messages/codec.ts'
import { responses } from './responses/codec.ts'

/** The codec of each wire that clients use. */
export const codecs: Readonly<Record<WireName, Codec>> = { chat, messages, generate, responses }

/** The codec of each wire that providers use. */
export const targetCodecs: Readonly<Record<TargetWire, TargetCodec>> = { ...codecs, converse }
