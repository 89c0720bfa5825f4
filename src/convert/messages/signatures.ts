import { signatureOfTag, tagOf, type Signature } from '#wire/signatures.ts'

/** A signature that a client brings: another wire's in its tag, or one of this wire's own. */
export function signatureOf(data: string, kind: 'signature' | 'redacted'): Signature {
  return signatureOfTag(data) ?? { wire: 'messages', origin: null, kind, data, id: null }
}

/** A signature for a client of this wire. */
export function signatureText(signature: Signature): string {
  return signature.wire === 'messages' ? signature.data : tagOf(signature)
}
