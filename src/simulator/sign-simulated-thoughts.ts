import { createHash } from 'node:crypto'

/**
 * Vendors sign or encrypt their models' thoughts. A simulated signature contains the wire's kind, the thoughts and a
 * checksum. Like vendors, the simulator rejects signatures that are invented, truncated or mixed up. A signature keeps
 * nothing secret.
 */
export type SealKind = 'signature' | 'redacted' | 'encrypted' | 'thought'

/**
 * Signatures are base64, like the vendors', because typed clients store some signatures as bytes. This base64 has
 * neither `+` nor `/` nor padding, so a signature is the same in both base64 alphabets.
 */
export function sealOf(kind: SealKind, thoughts: string): string {
  const text = `sim.${kind}.${Buffer.from(thoughts).toString('base64url')}.${checkOf(kind, thoughts)}`
  return Buffer.from(text.padEnd(Math.ceil(text.length / 3) * 3, '.')).toString('base64')
}

/** Null unless the simulator created the signature for that kind. */
export function openSeal(kind: SealKind, seal: unknown): string | null {
  if (typeof seal !== 'string') return null
  const [prefix, sealKind, text = ''] = Buffer.from(seal, 'base64').toString('latin1').split('.')
  if (prefix !== 'sim' || sealKind !== kind) return null
  const thoughts = Buffer.from(text, 'base64url').toString()
  return seal === sealOf(kind, thoughts) ? thoughts : null
}

function checkOf(kind: SealKind, thoughts: string): string {
  return createHash('sha256').update(`${kind}\n${thoughts}`).digest('base64url').slice(0, 22)
}
