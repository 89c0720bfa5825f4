/**
 * The surface that a Host header selects. Host is a tenant boundary here (docs/reference/threats.md "Host is
 * the tenant"; CVE-2026-48710 was this bug elsewhere), so it is parsed once, by a grammar that takes names,
 * IPv4 and bracketed IPv6 with a port and nothing else, and matched exactly. There is no default.
 */
export type Surface =
  | { readonly kind: 'control' }
  | { readonly kind: 'gateway'; readonly applicationId: string }
  | { readonly kind: 'portal'; readonly applicationId: string }

export interface HostTable {
  find(host: string): Surface | 'malformed' | 'unknown'
}

const grammar =
  /^(?<name>[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:.]+\])(?::(?<port>[0-9]{1,5}))?$/

/** Host header -> lower-case name and port; null when it is not a host. */
export function parseHost(host: string): { name: string; port: string } | null {
  if (host.length > 255) return null
  const groups = grammar.exec(host.toLowerCase())?.groups
  return groups?.name === undefined ? null : { name: groups.name, port: groups.port ?? '' }
}

/**
 * A table over exact hosts. A name matches with any port (a proxy may have changed it); a loopback address
 * only with its own, since there the port tells applications apart.
 * @param surfaces authority (`host` or `127.0.0.1:8101`, lower-case) -> surface
 */
export function hostTable(surfaces: ReadonlyMap<string, Surface>): HostTable {
  // Surfaces by raw header, so that the hot path is one look-up. Only hits: a flood of made-up hosts must not
  // fill memory.
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

/** True for the loopback names, under which the port tells applications apart. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '127.0.0.1' || name === '[::1]'
}
