/** Lifetimes of handoffs and portal sessions. */
import { dayMs, hourMs } from '#money/period.ts'
import { isRandomText, randomText } from '#domain/secrets/random-text.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { Ports } from '#operations/kernel/ports.ts'

/** Time in which a handoff must be redeemed. */
export const handoffMs = 60_000
/** Lifetime of a session, used or not. */
export const sessionMs = dayMs
/** Lifetime of a session that is not used. */
export const sessionIdleMs = hourMs

/** `ph_` is for a handoff, `ps_` for a session. 256 random bits follow. */
type Prefix = 'ph_' | 'ps_'

/** Returns a new secret. The caller stores its hash and shows it once. */
export function portalSecret(
  prefix: Prefix,
  { randomByte }: Pick<Ports, 'randomByte'>,
): { readonly secret: string; readonly hash: string } {
  const secret = prefix + randomText({ randomByte })
  return { secret, hash: sha256(secret) }
}

/** Returns whether a text has the form of a session secret. Other texts are not looked up. */
export function isPortalSecret(text: string): boolean {
  return text.startsWith('ps_') && isRandomText(text.slice(3))
}
