import {
  isNoProviderSignature,
  signatureOfTag,
  tagOf,
  type Signature,
} from '#wire/tagged-reasoning-signatures.ts'

/** Typed clients store `thoughtSignature` as bytes, and Go's client reads only base64 in the standard alphabet. */
export function thoughtSignatureOf(signature: Signature): string {
  if (signature.wire === 'generate' && signature.origin === null) return signature.data
  return tagOf(signature).replaceAll('-', '+').replaceAll('_', '/')
}

/**
 * Null for the mark of a tool call that its provider did not sign.
 * @param origin account that created the signature, if the signature is not a tag; null for the client's own provider
 */
export function readThoughtSignature(signature: string, origin: string | null): Signature | null {
  const tagged = signatureOfTag(signature)
  if (tagged !== null) return isNoProviderSignature(tagged) ? null : tagged
  return { wire: 'generate', origin, kind: 'thought_signature', data: signature, id: null }
}

/**
 * Google signs the part that has the signature. The sealed data of other vendors belongs to the thoughts before a text.
 */
export function precedesItsText({ wire }: Signature): boolean {
  return wire !== 'generate'
}

/**
 * Google's placeholder for a missing signature, used for tool calls from a provider of another wire
 * (docs/reference/conversions.md "Sealed reasoning").
 */
export const noSignature = 'skip_thought_signature_validator'
