import { opaqueOf, tagOf, type Opaque } from '#wire/signatures.ts'

/**
 * A seal as `thoughtSignature`. Typed clients hold that field as bytes, and Go's reads base64 in its
 * standard alphabet alone, so a tag is written in that one.
 */
export function signatureOf(opaque: Opaque): string {
  if (opaque.wire === 'generate' && opaque.origin === null) return opaque.data
  return tagOf(opaque).replaceAll('-', '+').replaceAll('_', '/')
}

/** @param origin of a signature that is no tag: who answered, or null where a client brings its own */
export function opaqueOfSignature(signature: string, origin: string | null): Opaque {
  return (
    opaqueOf(signature) ?? { wire: 'generate', origin, kind: 'thought_signature', data: signature, id: null }
  )
}

/** Stands where a signature has to, on a call that was made elsewhere (wire.md 8). */
export const noSignature = 'skip_thought_signature_validator'
