/**
 * Detects requests that return to the installation that sent them. If the address of an account or a webhook belongs to
 * this installation, one request could cause an endless chain of requests. Every outbound request therefore names this
 * installation in `CDN-Loop`. An incoming request with this name is rejected (RFC 8586, section 2).
 */
import { createHash } from 'node:crypto'

/** Longer than any chain of legitimate hops. */
const lengthMax = 2048

/**
 * All processes of the installation have the same name.
 * @param secret a secret that all processes know; the returned name does not reveal the secret
 */
export function loopName(secret: Uint8Array): string {
  return `tollgate-${createHash('sha256').update('cdn-loop\0').update(secret).digest('hex').slice(0, 16)}`
}

/** A header above the length limit counts as a loop. */
export function isLoop(header: string | string[] | undefined, name: string): boolean {
  if (header === undefined) return false
  if (typeof header !== 'string') return true
  if (header.length > lengthMax) return true
  return header.split(',').some((hop) => hop.split(';')[0]?.trim().toLowerCase() === name)
}

/** Returns the earlier hops of the request, which the outbound request repeats in its header. */
export function earlierHops(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && /^[\x20-\x7e]+$/.test(header) && header.length <= lengthMax
    ? header
    : null
}
