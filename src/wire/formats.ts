import { chat } from './chat/format.ts'
import type { WireFormat } from './format.ts'
import { generate } from './generate/format.ts'
import { messages } from './messages/format.ts'
import type { WireName } from './neutral.ts'
import { responses } from './responses/format.ts'

/** Every wire format that the gateway speaks. */
export const formats: Readonly<Record<WireName, WireFormat>> = { chat, messages, generate, responses }
