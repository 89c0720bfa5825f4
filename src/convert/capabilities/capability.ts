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
 * What becomes of a capability at a wire:
 * - carried: it arrives as it was said;
 * - irrelevant: it is left out, and nothing is different for it (a default, a name for something that needs none);
 * - emulated: the gateway does it itself, with the same effect;
 * - changed: it arrives as something near to it, and is reported;
 * - lost: it is left out, and reported;
 * - refused: the call would not be what was asked for; 400 that names the field.
 */
export type Treatment = 'carried' | 'irrelevant' | 'emulated' | 'changed' | 'lost' | 'refused'

/** The wires, and chat in the dialect of servers that follow OpenAI's. */
export type Column = WireName | 'compatible'

/** One thing that a request can ask for. */
export interface Capability {
  readonly name: string
  /** For the reference: what it is, in a few words. */
  readonly what: string
  /** How each wire calls it; a wire that is not here cannot say it. */
  readonly field: Readonly<Partial<Record<WireName, string>>>
  /** One for all wires, or by wire where it is not carried. Servers that follow OpenAI's do as chat, unless named. */
  readonly treatment: Treatment | Readonly<Partial<Record<Column, Treatment>>>
  /** Whether a request asks for it, in a way that this destination has no place for. */
  readonly isIn: (request: NeutralRequest, to: Destination, from: WireName) => boolean
  /** The request as it goes on; absent where it is refused, or goes on as it is. */
  readonly without?: (request: NeutralRequest, to: Destination) => NeutralRequest
  /** Why, and what to do, where it is refused. */
  readonly refusal?: string
}

export function treatmentAt({ treatment }: Capability, column: Column): Treatment {
  if (typeof treatment === 'string') return treatment
  return treatment[column] ?? (column === 'compatible' ? treatment.chat : undefined) ?? 'carried'
}

export function columnOf({ wire, dialect }: Destination): Column {
  return wire === 'chat' && dialect === 'compatible' ? 'compatible' : wire
}
