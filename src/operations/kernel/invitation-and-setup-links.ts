import type { Ports } from './dependencies-of-operations.ts'

/**
 * The secret is in the URL fragment, which browsers never send, so it appears in no log and no Referer header. Links
 * start with the configured address, whatever the Host header of the request is (docs/reference/threats.md "Links in
 * emails").
 */
export function linkWith(page: 'invite' | 'setup', secret: string, ports: Pick<Ports, 'baseUrl'>): string {
  return new URL(`/${page}#${secret}`, ports.baseUrl()).href
}
