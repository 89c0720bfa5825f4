import { createHash } from 'node:crypto'

/**
 * The simulator's stand-in for what vendors put on their models' thoughts: a signature, an encrypted
 * text. It holds the thoughts and a check of them, so that one that comes back can be told to be one of
 * ours, unchanged and in its own wire; whoever makes up, cuts or mixes up seals is found out, as at the
 * vendors. It keeps nothing secret.
 */
export type SealKind = 'signature' | 'redacted' | 'encrypted' | 'thought'

export function sealOf(kind: SealKind, thoughts: string): string {
  const text = Buffer.from(thoughts).toString('base64url')
  return `sim.${kind}.${text}.${checkOf(kind, thoughts)}`
}

/** The thoughts under a seal; null when it is none of that kind that the simulator made. */
export function openSeal(kind: SealKind, seal: unknown): string | null {
  if (typeof seal !== 'string') return null
  const [prefix, sealKind, text = '', check, ...more] = seal.split('.')
  if (prefix !== 'sim' || sealKind !== kind || more.length > 0) return null
  const thoughts = Buffer.from(text, 'base64url').toString()
  return check === checkOf(kind, thoughts) ? thoughts : null
}

function checkOf(kind: SealKind, thoughts: string): string {
  return createHash('sha256').update(`${kind}\n${thoughts}`).digest('base64url').slice(0, 22)
}
