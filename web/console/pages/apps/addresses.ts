/** Where an application will be, before it is made. */
import type { Application } from '#sdk/generated/types.ts'

export interface Addresses {
  readonly gateway: string
  readonly portal: string
}

type Known = Pick<Application, 'slug' | 'gateway' | 'portal'>

/**
 * As those of the applications that are there: the operator chooses the hosts, and each has its slug in them. The one
 * with the longest slug is taken, which is hardest to mistake for another part of the host.
 *
 * @param origin of the console, for the first application
 * @returns null: they cannot be told before it is made
 */
export function addressesOf(slug: string, known: readonly Known[], origin: string): Addresses | null {
  const pattern = known.toSorted((one, other) => other.slug.length - one.slug.length)[0]
  if (pattern) {
    const swapped = (address: string): string => address.replace(pattern.slug, slug)
    return { gateway: swapped(pattern.gateway), portal: swapped(pattern.portal) }
  }
  const { hostname, port, protocol } = new URL(origin)
  // A server on the own machine names its applications below localhost, unless it is told otherwise.
  if (!/^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)) return null
  const at = (surface: string): string =>
    `${protocol}//${slug}.${surface}.localhost${port === '' ? '' : `:${port}`}`
  return { gateway: at('gateway'), portal: at('portal') }
}
