import { createHash } from 'node:crypto'

/**
 * Vendors protect their models' thoughts with a signature or by encryption. The simulator does not distinguish a
 * signature from encryption. A simulated signature contains the thoughts and a checksum. When a client sends back a
 * signature, the simulator can verify that the signature was created for this wire and that nothing was changed. Like
 * vendors, the simulator rejects signatures that are invented, truncated or mixed up. A signature keeps nothing secret.
 */
export type SealKind = 'signature' | 'redacted' | 'encrypted' | 'thought'

/**
 * Signatures are base64, like the vendors' signatures, because typed clients store some signatures as bytes. The base64
 * of the text contains neither `+` nor `/`, and no padding. A signature is therefore the same in both base64 alphabets
 * and in any JSON.
 */
export function sealOf(kind: SealKind, thoughts: string): string {
  const text = `sim.${kind}.${Buffer.from(thoughts).toString('base64url')}.${checkOf(kind, thoughts)}`
  return Buffer.from(text.padEnd(Math.ceil(text.length / 3) * 3, '.')).toString('base64')
}

/** Returns the thoughts in a signature. Null unless the simulator created the signature for that kind. */
export function openSeal(kind: SealKind, seal: unknown): string | null {
  if (typeof seal !== 'string') return null
  const [prefix, sealKind, text = ''] = Buffer.from(seal, 'base64').toString('latin1').split('.')
  if (prefix !== 'sim' || sealKind !== kind) return null
  const thoughts = Buffer.from(text, 'base64url').toString()
  // The signature must be identical to the signature that the simulator creates for these thoughts.
  return seal === sealOf(kind, thoughts) ? thoughts : null
}

function checkOf(kind: SealKind, thoughts: string): string {
  return createHash('sha256').update(`${kind}\n${thoughts}`).digest('base64url').slice(0, 22)
}
