import { createHash } from 'node:crypto'

/**
 * Vendors protect their models' thoughts with a signature or by encryption, called a seal here. The simulator's seal
 * contains the thoughts and a checksum. When a client sends a seal back, the simulator can verify that it created the
 * seal for this wire and that nothing was changed. Invented, truncated or mixed-up seals are rejected, as vendors do.
 * The seal keeps nothing secret.
 */
export type SealKind = 'signature' | 'redacted' | 'encrypted' | 'thought'

/**
 * Seals are base64 like those of the vendors, because typed clients store some of them as bytes. The encoded text uses
 * only characters whose base64 contains neither `+` nor `/`, and its length needs no padding. The seal is therefore the
 * same in both base64 alphabets and in any JSON.
 */
export function sealOf(kind: SealKind, thoughts: string): string {
  const text = `sim.${kind}.${Buffer.from(thoughts).toString('base64url')}.${checkOf(kind, thoughts)}`
  return Buffer.from(text.padEnd(Math.ceil(text.length / 3) * 3, '.')).toString('base64')
}

/** Returns the thoughts in a seal. Null unless the simulator created the seal for that kind. */
export function openSeal(kind: SealKind, seal: unknown): string | null {
  if (typeof seal !== 'string') return null
  const [prefix, sealKind, text = ''] = Buffer.from(seal, 'base64').toString('latin1').split('.')
  if (prefix !== 'sim' || sealKind !== kind) return null
  const thoughts = Buffer.from(text, 'base64url').toString()
  // The seal must be identical to the one that the simulator creates for these thoughts.
  return seal === sealOf(kind, thoughts) ? thoughts : null
}

function checkOf(kind: SealKind, thoughts: string): string {
  return createHash('sha256').update(`${kind}\n${thoughts}`).digest('base64url').slice(0, 22)
}
