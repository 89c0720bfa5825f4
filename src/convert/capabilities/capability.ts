import type { OpenaiDialect, WireName } from '#wire/names.ts'
import type { NeutralRequest } from '#convert/neutral.ts'

/** Where a request goes that has to be fitted to another wire. */
export interface Destination {
  readonly wire: WireName
  /** The provider's model id. */
  readonly model: string
  /** The account, as its signatures have it (Signature.origin). */
  readonly origin: string
  readonly dialect: OpenaiDialect
}

/**
 * What becomes of a feature at a wire:
 * - carried: it arrives as it was said;
 * - moot: it is left out, and nothing is different for it (a default, a name for something that needs none);
 * - emulated: the gateway does it itself, with the same effect;
 * - changed: it arrives as something near to it, and is reported;
 * - lost: it is left out, and reported;
 * - refused: the call would not be what was asked for; 400 that names the field.
 */
export type Fate = 'carried' | 'moot' | 'emulated' | 'changed' | 'lost' | 'refused'

/** The wires, and chat in the dialect of servers that follow OpenAI's. */
export type Column = WireName | 'compatible'

/** One thing that a request can ask for. */
export interface Feature {
  readonly name: string
  /** For the reference: what it is, in a few words. */
  readonly what: string
  /** How each wire calls it; a wire that is not here cannot say it. */
  readonly field: Readonly<Partial<Record<WireName, string>>>
  readonly fates: Readonly<Record<Column, Fate>>
  /** Whether a request asks for it, in a way that this destination has no place for. */
  readonly isIn: (request: NeutralRequest, to: Destination, from: WireName) => boolean
  /** The request as it goes on. Unused where it is carried or refused. */
  readonly without: (request: NeutralRequest, to: Destination) => NeutralRequest
  /** Why, and what to do, where it is refused. */
  readonly refusal?: string
}

export function columnOf({ wire, dialect }: Destination): Column {
  return wire === 'chat' && dialect === 'compatible' ? 'compatible' : wire
}

/** Fates at OpenAI's chat, at servers that follow it, at messages, generate and responses. */
export function fates(
  chat: Fate,
  compatible: Fate,
  messages: Fate,
  generate: Fate,
  responses: Fate,
): Feature['fates'] {
  return { chat, compatible, messages, generate, responses }
}

/** For what is refused: there is nothing to take out. */
export function unchanged(request: NeutralRequest): NeutralRequest {
  return request
}
