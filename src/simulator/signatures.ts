import { createHash } from 'node:crypto'

/**
 * The simulator's replacement for a vendor's seal on its model's thoughts: a signature, or an encrypted text. It
 * contains the thoughts and a checksum. A returned seal can be verified as created by the simulator, unchanged and on
 * its own wire. Invented, truncated or mixed seals are rejected, as by the vendors. The seal keeps nothing secret.
 */
export type SealKind = 'signature' | 'redacted' | 'encrypted' | 'thought'

/**
 * Base64, like the vendors' seals, because typed clients store some of them as bytes. The encoded text contains only
 * letters, digits and marks whose base64 has neither `+` nor `/`. Its length needs no padding, so it is the same in
 * both alphabets and in any JSON.
 */
export function sealOf(kind: SealKind, thoughts: string): string {
  const text = `sim.${kind}.${Buffer.from(thoughts).toString('base64url')}.${checkOf(kind, thoughts)}`
  return Buffer.from(text.padEnd(Math.ceil(text.length / 3) * 3, '.')).toString('base64')
}

/** Returns the thoughts in a seal. Null unless the simulator created the seal with that kind. */
export function openSeal(kind: SealKind, seal: unknown): string | null {
  if (typeof seal !== 'string') return null
  const [prefix, sealKind, text = ''] = Buffer.from(seal, 'base64').toString('latin1').split('.')
  if (prefix !== 'sim' || sealKind !== kind) return null
  const thoughts = Buffer.from(text, 'base64url').toString()
  // The seal must equal the seal that was sent.
  return seal === sealOf(kind, thoughts) ? thoughts : null
}

function checkOf(kind: SealKind, thoughts: string): string {
  return createHash('sha256').update(`${kind}\n${thoughts}`).digest('base64url').slice(0, 22)
}
