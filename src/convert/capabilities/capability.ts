import type { OpenaiDialect, WireName } from '#wire/wire-names.ts'
import type { NeutralRequest } from '#convert/neutral.ts'

/** The provider to which a request is adapted. */
export interface Destination {
  readonly wire: WireName
  /** The provider's model ID. */
  readonly model: string
  /** The account, as stated in its signatures (Signature.origin). */
  readonly origin: string
  readonly dialect: OpenaiDialect
}

/**
 * The treatment of a capability on a wire:
 * - carried: it arrives unchanged
 * - irrelevant: it is omitted without effect (a default, or a name for a feature that needs no name)
 * - emulated: the gateway implements it itself, with the same effect
 * - changed: it arrives as a similar capability, and the change is reported
 * - lost: it is omitted, and the loss is reported
 * - refused: the request would have a different meaning, so it returns 400 with the field's name
 */
export type Treatment = 'carried' | 'irrelevant' | 'emulated' | 'changed' | 'lost' | 'refused'

/** The wires, and chat in the dialect of servers compatible with OpenAI. */
export type Column = WireName | 'compatible'

/** A capability that a request can use. */
export interface Capability {
  readonly name: string
  /** A short description for the reference. */
  readonly what: string
  /** Its name on each wire. An absent wire cannot express it. */
  readonly field: Readonly<Partial<Record<WireName, string>>>
  /**
   * A single treatment for all wires, or one treatment for each wire that does not carry the capability. Servers
   * compatible with OpenAI's use the treatment of chat, unless they are listed.
   */
  readonly treatment: Treatment | Readonly<Partial<Record<Column, Treatment>>>
  /** Whether a request uses it in a way that this destination cannot express. */
  readonly isIn: (request: NeutralRequest, to: Destination, from: WireName) => boolean
  /** Returns the request to send. Absent if the request is rejected or is sent unchanged. */
  readonly without?: (request: NeutralRequest, to: Destination) => NeutralRequest
  /** The reason for a rejection, and the remedy. */
  readonly refusal?: string
}

export function treatmentAt({ treatment }: Capability, column: Column): Treatment {
  if (typeof treatment === 'string') return treatment
  return treatment[column] ?? (column === 'compatible' ? treatment.chat : undefined) ?? 'carried'
}

export function columnOf({ wire, dialect }: Destination): Column {
  return wire === 'chat' && dialect !== 'openai' ? 'compatible' : wire
}
