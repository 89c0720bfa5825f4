import type { Ports } from './ports.ts'

/**
 * A link with a secret, for a person. The secret stands in the fragment, which no browser sends: it is in no log
 * and no Referer. Links begin with the configured address, whatever Host the request names
 * (docs/reference/threats.md "Links in mails").
 */
export function linkWith(page: 'invite' | 'setup', secret: string, ports: Pick<Ports, 'baseUrl'>): string {
  return new URL(`/${page}#${secret}`, ports.baseUrl()).href
}
