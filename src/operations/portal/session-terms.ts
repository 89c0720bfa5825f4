/** How long people have to come to a portal, and how long they stay. */
import { dayMs } from '#money/period.ts'
import { isRandomText, randomText } from '#domain/secrets/random-text.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { Ports } from '#operations/ports.ts'

/** Time in which a handoff must be redeemed. */
export const handoffMs = 60_000
/** A session ends after this time, used or not. */
export const sessionMs = dayMs
/** A session that is not used ends after this time. */
export const sessionIdleMs = 3_600_000

/** `ph_`: a handoff; `ps_`: a session. 256 random bits follow. */
type Prefix = 'ph_' | 'ps_'

/** A new secret; the caller stores its hash and shows it once. */
export function portalSecret(
  prefix: Prefix,
  { randomByte }: Pick<Ports, 'randomByte'>,
): { readonly secret: string; readonly hash: string } {
  const secret = prefix + randomText({ randomByte })
  return { secret, hash: sha256(secret) }
}

/** Whether a text has the form of a session's secret, so that no other is looked up. */
export function isPortalSecret(text: string): boolean {
  return text.startsWith('ps_') && isRandomText(text.slice(3))
}
