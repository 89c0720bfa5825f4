import type { OpenaiDialect, WireName } from '#wire/names-of-wires-and-tasks.ts'
import type { NeutralRequest } from '#convert/neutral-format.ts'

export interface Destination<Wire extends WireName = WireName> {
  readonly wire: Wire
  readonly model: string
  /** The text that identifies the provider account in the signatures of its responses (Signature.origin). */
  readonly origin: string
  readonly dialect: OpenaiDialect
}

/**
 * How a wire treats a capability. The treatments are:
 * - carried: the provider gets the capability unchanged
 * - irrelevant: omitted or moved, without any effect on the answer
 * - emulated: the gateway itself implements the capability, with the same effect
 * - changed: the provider gets a similar capability, and the change is reported
 * - lost: omitted, and the loss is reported
 * - refused: rejected with 400 and the field's name, because the request would have a different meaning without the
 *   capability
 */
export type Treatment = 'carried' | 'irrelevant' | 'emulated' | 'changed' | 'lost' | 'refused'

/**
 * The wires of providers, and a separate entry for servers compatible with OpenAI. Servers compatible with OpenAI use
 * the chat wire, but differ from OpenAI's own service.
 */
export type Column = WireName | 'compatible'

export interface Capability {
  readonly name: string
  /** For the reference documentation. */
  readonly what: string
  /** The name of the capability's field on each wire. A wire that is not listed cannot express the capability. */
  readonly field: Readonly<Partial<Record<WireName, string>>>
  /** Further names, if a wire has several fields for the capability. For the reference documentation. */
  readonly otherFields?: Readonly<Partial<Record<WireName, readonly string[]>>>
  /**
   * A single treatment for all wires, or a treatment for each wire that does not support the capability. Servers
   * compatible with OpenAI's are treated like chat unless they are listed.
   */
  readonly treatment: Treatment | Readonly<Partial<Record<Column, Treatment>>>
  readonly isIn: (request: NeutralRequest, to: Destination, from: WireName) => boolean
  /** Returns the names to report if they depend on the request. Otherwise, `field` is reported. */
  readonly fieldsIn?: (request: NeutralRequest, to: Destination, from: WireName) => readonly string[]
  /**
   * Returns the request without the capability, or with a replacement for it. Absent if requests with the capability
   * are rejected or sent unchanged.
   */
  readonly without?: (request: NeutralRequest, to: Destination) => NeutralRequest
  /** The reason for a rejection, and how to avoid the rejection. */
  readonly refusal?: string
}

export function treatmentAt({ treatment }: Capability, column: Column): Treatment {
  if (typeof treatment === 'string') return treatment
  return treatment[column] ?? (column === 'compatible' ? treatment.chat : undefined) ?? 'carried'
}

export function columnOf<Wire extends WireName>({
  wire,
  dialect,
}: Pick<Destination<Wire>, 'wire' | 'dialect'>): Wire | 'compatible' {
  return wire === 'chat' && dialect !== 'openai' ? 'compatible' : wire
}
