import type { Ports } from './ports.ts'

/**
 * Returns a link with a secret for a person. The secret is in the fragment, which browsers never send, so it is in no
 * log and no Referer. Links start with the configured address, whatever Host the request names
 * (docs/reference/threats.md "Links in mails").
 */
export function linkWith(page: 'invite' | 'setup', secret: string, ports: Pick<Ports, 'baseUrl'>): string {
  return new URL(`/${page}#${secret}`, ports.baseUrl()).href
}
