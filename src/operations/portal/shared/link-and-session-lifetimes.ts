import { dayMs, hourMs } from '#money/periods-and-windows.ts'
import { isRandomText, randomText } from '#domain/secrets/random-link-and-cookie-secrets.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { Ports } from '#operations/kernel/dependencies-of-operations.ts'

/** Time within which a handoff must be redeemed. */
export const handoffMs = 60_000
/** Maximum lifetime of a session, whether or not it is used. */
export const sessionMs = dayMs
/** A session ends after this time without a request. */
export const sessionIdleMs = hourMs

/** `ph_` for a handoff and `ps_` for a session, followed by 256 random bits. */
type Prefix = 'ph_' | 'ps_'

/** The caller stores the secret's hash and shows the secret once. */
export function portalSecret(
  prefix: Prefix,
  { randomByte }: Pick<Ports, 'randomByte'>,
): { readonly secret: string; readonly hash: string } {
  const secret = prefix + randomText({ randomByte })
  return { secret, hash: sha256(secret) }
}

/** Only texts of this form are looked up. */
export function isPortalSecret(text: string): boolean {
  return text.startsWith('ps_') && isRandomText(text.slice(3))
}
