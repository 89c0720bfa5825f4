/**
 * Checks whether this server may send requests to an address that a customer has entered. Public addresses are allowed,
 * and so is the private network if the operator allows it (docs/reference/threats.md "Outbound addresses"). Two checks
 * are needed:
 *
 * - `outboundFault(url)` when a URL is saved and again before it is used. `outboundFault` checks everything that the
 *   text of the URL shows.
 * - `addressFault(ip)` inside the connection's own look-up, for every address that a name resolves to. A name that was
 *   public when the URL was saved may later resolve to a private address (DNS rebinding).
 *
 * Node's `BlockList` parses the addresses and compares them with the ranges as numbers. Comparisons of addresses as
 * text have failed in other software (CVE-2024-29415, CVE-2026-42345, `private-ip` #32).
 *
 * The ranges come from the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and its updates). The few
 * registered ranges that are globally reachable (AS112, AMT, PCP anycast) are also rejected. No provider and no webhook
 * uses these ranges, and a list without exceptions is easier to check.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

export interface OutboundPolicy {
  /**
   * Set if the operator runs models in the private network (Ollama, vLLM). The setting allows requests to the private
   * network, on any port and over plain HTTP.
   */
  readonly allowPrivate: boolean
}

/**
 * The kinds of addresses, which decide whether this server may send requests to an address:
 *
 * - `public`: addresses that are global unicast.
 * - `private`: loopback, RFC 1918, carrier-grade NAT and unique local. Private addresses are allowed only if the
 *   operator has set `allowPrivate`.
 * - `forbidden`: addresses that are never allowed. Link-local addresses and the addresses of cloud metadata services
 *   are forbidden, because no model runs at these addresses. A response of a metadata service can reveal the
 *   credentials of this machine.
 */
export type AddressKind = 'public' | 'private' | 'forbidden'

/** @param ip an IPv4 or IPv6 address in text, without brackets; malformed text and zones are `forbidden` */
export function addressKind(ip: string): AddressKind {
  const family = isIPv4(ip) ? 'ipv4' : isIPv6(ip) && !ip.includes('%') ? 'ipv6' : null
  if (family === null || forbidden[family].check(ip, family)) return 'forbidden'
  if (privateOnes[family].check(ip, family)) return 'private'
  // Only the range 2000::/3 is assigned for global unicast. IPv6 forms that contain an IPv4 address (mapped,
  // compatible, NAT64) are outside 2000::/3. No inner address has to be checked.
  return family === 'ipv4' || globalUnicast.check(ip, family) ? 'public' : 'forbidden'
}

/**
 * Returns why this server may not connect to this address.
 * @param isPlain true if the connection is not encrypted; such a connection must not leave the private network
 */
export function addressFault(
  ip: string,
  { allowPrivate, isPlain }: OutboundPolicy & { isPlain: boolean },
): string | null {
  const kind = addressKind(ip)
  if (kind === 'forbidden') return 'requests to this address are never allowed'
  if (kind === 'private' && !allowPrivate) return 'it is an address of a private network'
  if (kind === 'public' && isPlain) return 'plain http is allowed only in private networks; use https'
  return null
}

/**
 * Returns why this URL may not be called, as a sentence fragment for the customer. If the URL contains a host name,
 * `addressFault` checks the addresses to which the name resolves.
 */
export function outboundFault(url: string, policy: OutboundPolicy): string | null {
  const { allowPrivate } = policy
  // Parsers disagree on backslashes, tabs, and letters that look like digits or dots. Each difference allows a bypass
  // (CVE-2026-45400).
  if (!/^[!-[\]-~]+$/.test(url)) return 'the URL must contain only ASCII, without spaces and backslashes'
  const parsed = URL.parse(url)
  if (!parsed) return 'it is not a URL'
  const { protocol, hostname, port } = parsed
  const isPlain = protocol === 'http:'
  if (protocol !== 'https:' && !isPlain) return 'the URL must start with https://'
  if (isPlain && !allowPrivate) return 'the URL must start with https://'
  if (parsed.username !== '' || parsed.password !== '' || /^[a-z]+:\/*[^/?#]*@/i.test(url)) {
    return 'the URL must not contain a user name or a password'
  }
  if (!allowPrivate && port !== '' && port !== '8443') return 'the port must be 443 or 8443'
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  // The URL parser has converted every spelling of an IPv4 address (0x7f.1, 2130706433, 0177.1) to four numbers.
  if (literal !== hostname || isIPv4(hostname)) return addressFault(literal, { allowPrivate, isPlain })
  return nameFault(hostname, policy)
}

/** Whether the text of a URL refers to the private network, by an address or by a name. */
export function isPrivateUrl(url: string): boolean {
  const hostname = URL.parse(url)?.hostname ?? ''
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  if (literal !== hostname || isIPv4(hostname)) return addressKind(literal) === 'private'
  const last = hostname.slice(hostname.lastIndexOf('.') + 1)
  return hostname !== '' && (last === hostname || privateDomains.has(last))
}

function nameFault(name: string, { allowPrivate }: OutboundPolicy): string | null {
  // `localhost.` is the same host as `localhost`, so only one spelling is allowed.
  if (name.endsWith('.')) return 'the host must not end with a dot'
  if (name === '' || name.length > 253 || name.includes('..')) return 'the host is not a name'
  if (allowPrivate) return null
  const last = name.slice(name.lastIndexOf('.') + 1)
  if (last === name) return 'the host must be a full name, like api.example.com'
  if (privateDomains.has(last)) return `names under .${last} are not public`
  return null
}

/** Top-level domains that are never delegated publicly (RFC 6761, 6762, 8375, ICANN 2024 for `internal`). */
const privateDomains = new Set([
  'arpa',
  'corp',
  'home',
  'internal',
  'intranet',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'private',
])

/**
 * IPv4 and IPv6 have separate lists, because a list of IPv4 ranges also matches IPv4-mapped IPv6 addresses, such as
 * `::ffff:10.0.0.1`.
 */
interface Ranges {
  readonly ipv4: BlockList
  readonly ipv6: BlockList
}

/**
 * Check the forbidden ranges before the private ranges, because some forbidden ranges are single addresses within the
 * private ranges.
 */
const forbidden: Ranges = {
  ipv4: rangesOf('ipv4', [
    ['168.63.129.16', 32], // Azure's platform service, which looks like a public address
    ['100.100.100.200', 32], // Alibaba Cloud's metadata service
    ['0.0.0.0', 8], // "this network"; Linux treats it as loopback
    ['169.254.0.0', 16], // link-local, with the metadata service at 169.254.169.254
    ['192.0.0.0', 24], // IETF assignments, with Oracle's metadata service at .192
    ['192.0.2.0', 24], // documentation
    ['192.31.196.0', 24], // AS112
    ['192.52.193.0', 24], // AMT
    ['192.88.99.0', 24], // 6to4 relays
    ['192.175.48.0', 24], // AS112
    ['198.18.0.0', 15], // benchmarking
    ['198.51.100.0', 24], // documentation
    ['203.0.113.0', 24], // documentation
    ['224.0.0.0', 4], // multicast
    ['240.0.0.0', 4], // reserved, with the broadcast address
  ]),
  ipv6: rangesOf('ipv6', [
    ['fd00:ec2::254', 128], // the metadata service of AWS
    ['fd20:ce::254', 128], // the metadata service of Google Cloud
    ['2001::', 23], // IETF assignments: Teredo, benchmarking, ORCHID
    ['2001:db8::', 32], // documentation
    ['2002::', 16], // 6to4, which contains an IPv4 address
    ['2620:4f:8000::', 48], // AS112
    ['3fff::', 20], // documentation, RFC 9637
  ]),
}

const privateOnes: Ranges = {
  ipv4: rangesOf('ipv4', [
    ['10.0.0.0', 8], // RFC 1918
    ['100.64.0.0', 10], // carrier-grade NAT, RFC 6598
    ['127.0.0.0', 8], // loopback
    ['172.16.0.0', 12], // RFC 1918
    ['192.168.0.0', 16], // RFC 1918
  ]),
  ipv6: rangesOf('ipv6', [
    ['::1', 128], // loopback
    ['fc00::', 7], // unique local, RFC 4193
  ]),
}

const globalUnicast = rangesOf('ipv6', [['2000::', 3]])

function rangesOf(
  family: 'ipv4' | 'ipv6',
  ranges: readonly (readonly [start: string, bits: number])[],
): BlockList {
  const list = new BlockList()
  for (const [start, bits] of ranges) list.addSubnet(start, bits, family)
  return list
}
