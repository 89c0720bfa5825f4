import { signatureOfTag, tagOf, type Signature } from '#wire/signatures.ts'

/**
 * A signature as `thoughtSignature`. Typed clients hold that field as bytes, and Go's reads base64 in its
 * standard alphabet alone, so a tag is written in that one.
 */
export function thoughtSignatureOf(signature: Signature): string {
  if (signature.wire === 'generate' && signature.origin === null) return signature.data
  return tagOf(signature).replaceAll('-', '+').replaceAll('_', '/')
}

/** @param origin who made a signature that is no tag; null where the client brings its own */
export function readThoughtSignature(signature: string, origin: string | null): Signature {
  return (
    signatureOfTag(signature) ?? {
      wire: 'generate',
      origin,
      kind: 'thought_signature',
      data: signature,
      id: null,
    }
  )
}

/**
 * Google's placeholder for the signature of a call that another wire's provider made
 * (docs/reference/conversions.md "Sealed reasoning").
 */
export const noSignature = 'skip_thought_signature_validator'
