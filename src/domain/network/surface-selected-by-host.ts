/**
 * The surface (control plane, gateway or portal) that a Host header selects. The header decides which tenant a request
 * belongs to (docs/reference/threats.md "The Host header selects the tenant"). In other software, two parsers of this
 * header disagreed (CVE-2026-48710). The header is therefore parsed by only one grammar. The grammar accepts names,
 * IPv4 addresses and bracketed IPv6 addresses, with or without a port. The parsed host must match a known host exactly,
 * and no host is the default.
 */
import { isIPv4 } from 'node:net'

export type Surface =
  | { readonly kind: 'control' }
  | { readonly kind: 'gateway'; readonly applicationId: string }
  | { readonly kind: 'portal'; readonly applicationId: string }

export interface HostTable {
  find(host: string): Surface | 'malformed' | 'unknown'
}

const grammar =
  /^(?<name>[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:.]+\])(?::(?<port>[0-9]{1,5}))?$/

/** Returns the name in lower case and the port of a Host header. */
export function parseHost(host: string): { name: string; port: string } | null {
  if (host.length > 255) return null
  const groups = grammar.exec(host.toLowerCase())?.groups
  return groups?.name === undefined ? null : { name: groups.name, port: groups.port ?? '' }
}

/**
 * A name matches with any port, because a proxy may have changed the port. A loopback address matches only with its own
 * port, because on loopback the port identifies the application.
 * @param surfaces maps an authority (`host` or `127.0.0.1:8101`, lower-case) to its surface
 */
export function hostTable(surfaces: ReadonlyMap<string, Surface>): HostTable {
  // Cache surfaces by the raw header, so that each request needs one look-up. Cache only known hosts, because a flood
  // of invented hosts must not fill memory.
  const known = new Map<string, Surface>()
  return {
    find(host) {
      const hit = known.get(host)
      if (hit) return hit
      const parsed = parseHost(host)
      if (!parsed) return 'malformed'
      const surface = surfaces.get(isLoopback(parsed.name) ? `${parsed.name}:${parsed.port}` : parsed.name)
      if (!surface) return 'unknown'
      if (known.size < 10_000) known.set(host, surface)
      return surface
    },
  }
}

/**
 * Whether a Host header names an IP address or `localhost`. No web page of another host can send such a header, because
 * a page that changes the address of its own host (DNS rebinding) still sends its own host name.
 */
export function isHostAnAddress(host: string): boolean {
  const name = parseHost(host)?.name
  return name !== undefined && (name === 'localhost' || name.startsWith('[') || isIPv4(name))
}

/** For a loopback name, the port identifies the application. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '127.0.0.1' || name === '[::1]'
}
