import { createHash } from 'node:crypto'

/**
 * The simulator's stand-in for a vendor's seal on its model's thoughts: a signature, an encrypted text. It holds the
 * thoughts and a check of them: a seal that comes back is known to be the simulator's, unchanged and on its own wire,
 * and an invented, cut or mixed one is refused, as at the vendors. It keeps nothing secret.
 */
export type SealKind = 'signature' | 'redacted' | 'encrypted' | 'thought'

/**
 * Base64, as the vendors' are: typed clients hold some of them as bytes. Its text has only letters, digits and marks
 * whose base64 has neither `+` nor `/`, and a length that needs no padding, the same in both alphabets and in any JSON.
 */
export function sealOf(kind: SealKind, thoughts: string): string {
  const text = `sim.${kind}.${Buffer.from(thoughts).toString('base64url')}.${checkOf(kind, thoughts)}`
  return Buffer.from(text.padEnd(Math.ceil(text.length / 3) * 3, '.')).toString('base64')
}

/** The thoughts under a seal; null unless the simulator made it, of that kind. */
export function openSeal(kind: SealKind, seal: unknown): string | null {
  if (typeof seal !== 'string') return null
  const [prefix, sealKind, text = ''] = Buffer.from(seal, 'base64').toString('latin1').split('.')
  if (prefix !== 'sim' || sealKind !== kind) return null
  const thoughts = Buffer.from(text, 'base64url').toString()
  // Exactly the seal that was given out.
  return seal === sealOf(kind, thoughts) ? thoughts : null
}

function checkOf(kind: SealKind, thoughts: string): string {
  return createHash('sha256').update(`${kind}\n${thoughts}`).digest('base64url').slice(0, 22)
}
