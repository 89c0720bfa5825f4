import type { WireName } from '#wire/names.ts'
import { chat } from './chat/codec.ts'
import type { Codec } from './codec.ts'
import { generate } from './generate/codec.ts'
import { messages } from './messages/codec.ts'
import { responses } from './responses/codec.ts'

/** How each wire is turned into the neutral form and made of it. */
export const codecs: Readonly<Record<WireName, Codec>> = { chat, messages, generate, responses }
