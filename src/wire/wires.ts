import { chat } from './chat/wire.ts'
import { generate } from './generate/wire.ts'
import { messages } from './messages/wire.ts'
import type { WireName } from './wire-names.ts'
import { responses } from './responses/wire.ts'
import type { Wire } from './wire.ts'

/** Every wire format that the gateway speaks. */
export const wires: Readonly<Record<WireName, Wire>> = { chat, messages, generate, responses }
