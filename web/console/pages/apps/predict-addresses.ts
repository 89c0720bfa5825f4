import type { Application } from '#sdk/generated/types.ts'

export interface Addresses {
  readonly gateway: string
  readonly portal: string
}

type Known = Pick<Application, 'slug' | 'gateway' | 'portal'>

/**
 * The operator chooses the hosts, so the prediction follows the addresses of existing applications. The application
 * with the longest slug is the pattern, because a long slug occurs nowhere else in a host name.
 *
 * @param origin the origin of the console, for the first application
 */
export function addressesOf(slug: string, known: readonly Known[], origin: string): Addresses | null {
  const pattern = known.toSorted((one, other) => other.slug.length - one.slug.length)[0]
  if (pattern) {
    const swapped = (address: string): string => address.replace(pattern.slug, slug)
    return { gateway: swapped(pattern.gateway), portal: swapped(pattern.portal) }
  }
  const { hostname, port, protocol } = new URL(origin)
  // By default, a local server uses host names under localhost.
  if (!/^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)) return null
  const at = (surface: string): string =>
    `${protocol}//${slug}.${surface}.localhost${port === '' ? '' : `:${port}`}`
  return { gateway: at('gateway'), portal: at('portal') }
}
