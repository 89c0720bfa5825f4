import type { OpenaiDialect, WireName } from '#wire/wire-names.ts'
import type { NeutralRequest } from '#convert/neutral.ts'

/** The provider for which a request is fitted. */
export interface Destination {
  readonly wire: WireName
  /** The provider's model id. */
  readonly model: string
  /** The account, as in its signatures (Signature.origin). */
  readonly origin: string
  readonly dialect: OpenaiDialect
}

/**
 * The treatment of a capability at a wire:
 * - carried: it arrives unchanged;
 * - irrelevant: it is left out without effect (a default, a name for something that needs none);
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
  /** A few words for the reference. */
  readonly what: string
  /** Its name on each wire; a wire that is absent cannot express it. */
  readonly field: Readonly<Partial<Record<WireName, string>>>
  /** One for all wires, or per wire where it is not carried. Servers that follow OpenAI's do as chat, unless named. */
  readonly treatment: Treatment | Readonly<Partial<Record<Column, Treatment>>>
  /** Whether a request asks for it in a way that this destination cannot express. */
  readonly isIn: (request: NeutralRequest, to: Destination, from: WireName) => boolean
  /** The request that goes on; absent where it is refused, or goes on unchanged. */
  readonly without?: (request: NeutralRequest, to: Destination) => NeutralRequest
  /** The reason for a refusal, and the remedy. */
  readonly refusal?: string
}

export function treatmentAt({ treatment }: Capability, column: Column): Treatment {
  if (typeof treatment === 'string') return treatment
  return treatment[column] ?? (column === 'compatible' ? treatment.chat : undefined) ?? 'carried'
}

export function columnOf({ wire, dialect }: Destination): Column {
  return wire === 'chat' && dialect === 'compatible' ? 'compatible' : wire
}
