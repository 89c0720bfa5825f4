import { opaqueOf, tagOf, type Opaque } from '#wire/signatures.ts'

/** A seal that a client brings: another wire's in its tag, or one of this wire's own. */
export function sealOf(data: string, kind: 'signature' | 'redacted'): Opaque {
  return opaqueOf(data) ?? { wire: 'messages', origin: null, kind, data, id: null }
}

/** A seal for a client of this wire. */
export function sealText(opaque: Opaque): string {
  return opaque.wire === 'messages' ? opaque.data : tagOf(opaque)
}

/** Whether a provider of this wire takes the seal back: only who made it can read it. */
export function isOwnSeal(opaque: Opaque, origin: string): boolean {
  return opaque.wire === 'messages' && (opaque.origin === null || opaque.origin === origin)
}
