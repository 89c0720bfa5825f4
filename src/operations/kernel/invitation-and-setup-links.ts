import type { Ports } from './dependencies-of-operations.ts'

/**
 * The secret is in the URL fragment, which browsers never send. It appears in no log and no Referer header. Links start
 * with the configured address, regardless of the Host header of the request (docs/reference/threats.md "Links in
 * emails").
 */
export function linkWith(page: 'invite' | 'setup', secret: string, ports: Pick<Ports, 'baseUrl'>): string {
  return new URL(`/${page}#${secret}`, ports.baseUrl()).href
}
