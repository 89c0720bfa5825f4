/**
 * Requests that come back to the installation that sent them. An account or a webhook whose address leads back here
 * would make one request into an endless chain, so every outbound request names this installation in `CDN-Loop`, and
 * a request that names it on arrival is refused (RFC 8586, section 2).
 */
import { createHash } from 'node:crypto'

/** Longer than any chain of honest hops. */
const lengthMax = 2048

/**
 * The name of this installation, the same in all its processes.
 * @param secret known to all of them; it cannot be found from the name
 */
export function loopName(secret: Uint8Array): string {
  return `tollgate-${createHash('sha256').update('cdn-loop\0').update(secret).digest('hex').slice(0, 16)}`
}

/** Whether a `CDN-Loop` header names the installation. A header that is too long to be honest counts as a loop. */
export function isLoop(header: string | string[] | undefined, name: string): boolean {
  if (header === undefined) return false
  if (typeof header !== 'string') return true
  if (header.length > lengthMax) return true
  return header.split(',').some((hop) => hop.split(';')[0]?.trim().toLowerCase() === name)
}

/** The hops before this installation, to be sent on; null: there are none. */
export function earlierHops(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && /^[\x20-\x7e]+$/.test(header) && header.length <= lengthMax
    ? header
    : null
}
