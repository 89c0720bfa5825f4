import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseObject } from '#wire/text/json-values.ts'
import { kindOf, kinds, stringAt, type Json, type Node } from '#wire/text/json-tape.ts'
import { wireNames, type WireName } from './names-of-wires-and-tasks.ts'

/**
 * A signature with which a provider recognizes its own reasoning, or the reasoning as an encrypted text. Only the
 * account that created the signature or the text can use it. For a client of another wire, the signature is sent in a
 * field of that wire, tagged with `origin`.
 */
export interface Signature {
  readonly wire: WireName
  /**
   * Distinguishes the account that created the signature without identifying the account. Null if the signature comes
   * from the client's own provider.
   */
  readonly origin: string | null
  readonly kind: 'signature' | 'redacted' | 'encrypted' | 'thought_signature'
  readonly data: string
  /** Set if a reasoning item (responses) can be sent again only with its ID. */
  readonly id: string | null
}

/**
 * Encodes a provider's signature for a client of another wire. Each wire has a field for signatures or encrypted texts,
 * which clients return unchanged. The gateway puts a tag with the signature, its kind and its origin into this field.
 * Nothing is stored, because the client returns the tag with the conversation.
 *
 * A tag is base64 without padding, because Python and Go clients of the generate wire reject anything else. These
 * clients decode the field to bytes, and encode the bytes again in their own base64 alphabet.
 */
export function tagOf({ wire, origin, kind, data, id }: Signature): string {
  const bytes = byteTextOf(JSON.stringify([wire, kind, origin, id, data]))
  return btoa(mark + bytes + ' '.repeat((3 - (bytes.length % 3)) % 3))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}

/**
 * Replaces the signature of reasoning and tool calls that their provider did not sign. The gateway removes reasoning with
 * this signature from later requests. Anthropic rejects thinking with an empty signature. OpenAI rejects the ID of a
 * reasoning item that it did not create.
 */
export const noProviderSignature: Signature = {
  wire: 'chat',
  // No account has this origin, so the signature is never sent to a provider.
  origin: '',
  kind: 'signature',
  data: '',
  id: null,
}

export function isNoProviderSignature({ origin, wire }: Signature): boolean {
  return origin === noProviderSignature.origin && wire === noProviderSignature.wire
}

/** Null for any text that `tagOf` did not create, such as a vendor's own signature. */
export function signatureOfTag(text: string): Signature | null {
  if (!text.startsWith(markBase64)) return null
  let bytes: string
  try {
    bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return null
  }
  const fields = parseObject(`{"fields":${textOf(bytes.slice(mark.length))}}`)?.fields
  if (!Array.isArray(fields) || fields.length !== 5) return null
  const [wire, kind, origin, id, data]: unknown[] = fields
  if (
    !isWire(wire) ||
    !isKind(kind) ||
    !isTextOrNull(origin) ||
    !isTextOrNull(id) ||
    typeof data !== 'string'
  )
    return null
  return { wire, origin, kind, data, id }
}

/** If the body contains no tag, the gateway does not search it further. */
export function hasTag(body: ByteText): boolean {
  return body.includes(`"${markBase64}`)
}

/** Whether the value is a tagged signature, which names its provider. */
export function isTagAt(json: Json, value: Node): boolean {
  return value >= 0 && kindOf(json, value) === kinds.string && signatureOfTag(stringAt(json, value)) !== null
}

/** Only the provider that created a signature can read the signature. */
export function isOwnSignature({ wire, origin }: Signature, to: { wire: WireName; origin: string }): boolean {
  return wire === to.wire && (origin === null || origin === to.origin)
}

/** Three bytes are four characters of base64, so every tag begins with the same characters. */
const mark = 'tg1'
const markBase64 = btoa(mark)

const wires: readonly unknown[] = wireNames
const signatureKinds: readonly unknown[] = [
  'signature',
  'redacted',
  'encrypted',
  'thought_signature',
] satisfies Signature['kind'][]

function isWire(value: unknown): value is WireName {
  return wires.includes(value)
}

function isKind(value: unknown): value is Signature['kind'] {
  return signatureKinds.includes(value)
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}
