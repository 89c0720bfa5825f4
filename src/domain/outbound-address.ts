/**
 * Where this server may be sent by a customer: to public addresses and, when the operator says so, to
 * the private network (threats.md 87-99). Pure judging, in two halves that must both be asked:
 *
 * - `outboundFault(url)` when a URL is saved and again before it is used: everything that its text says.
 * - `addressFault(ip)` inside the connection's own look-up, for every address a name resolves to. A name
 *   that was public when it was saved may be private now (DNS rebinding), so a verdict on the name alone
 *   is worth nothing.
 *
 * Addresses are parsed to numbers here and compared as prefixes: string tests on addresses have failed
 * everywhere they were tried (CVE-2024-29415, CVE-2026-42345, `private-ip` #32).
 *
 * Ranges: IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and its updates). The few
 * entries there that are globally reachable (AS112, AMT, PCP anycast) are refused too: no provider and
 * no webhook lives in them, and a list without exceptions is easier to check.
 */
export interface OutboundPolicy {
  /** The operator runs models in the private network (Ollama, vLLM): allows it, any port, and plain http to it. */
  readonly allowPrivate: boolean
}

/**
 * - `public`: global unicast, where anybody may be sent.
 * - `private`: loopback, RFC 1918, carrier-grade NAT and unique local: only if the operator allows it.
 * - `forbidden`: never. Link-local and the cloud metadata services are here, because nobody runs a model
 *   there and reading one gives away the machine's own credentials.
 */
export type AddressKind = 'public' | 'private' | 'forbidden'

/** @param ip an IPv4 or IPv6 address in text, without brackets; malformed text and zones are `forbidden` */
export function addressKind(ip: string): AddressKind {
  const ipv4 = parseIpv4(ip)
  if (ipv4 !== null) return kindOf(BigInt(ipv4), 32, ipv4Ranges) ?? 'public'
  const ipv6 = parseIpv6(ip)
  if (ipv6 === null) return 'forbidden'
  // Only 2000::/3 is assigned for global unicast. All that carries an IPv4 address inside (mapped,
  // compatible, NAT64) lies outside of it, so that no inner address has to be dug out and judged.
  return kindOf(ipv6, 128, ipv6Ranges) ?? (ipv6 >> 125n === 1n ? 'public' : 'forbidden')
}

/**
 * Why no connection may be made to this address; null when it may.
 * @param isPlain the connection is not encrypted: then it may not leave the private network
 */
export function addressFault(
  ip: string,
  { allowPrivate, isPlain }: OutboundPolicy & { isPlain: boolean },
): string | null {
  const kind = addressKind(ip)
  if (kind === 'forbidden') return 'it is an address that nothing may be sent to'
  if (kind === 'private' && !allowPrivate) return 'it is an address of a private network'
  if (kind === 'public' && isPlain) return 'plain http is allowed to the private network only; use https'
  return null
}

/**
 * Why this URL may not be called, as half a sentence for the person who gave it; null when it may be.
 * The addresses behind a name are not looked up here: see `addressFault`.
 */
export function outboundFault(url: string, policy: OutboundPolicy): string | null {
  const { allowPrivate } = policy
  // Parsers disagree on backslashes, tabs and letters that look like digits or dots, and the difference
  // is a bypass (CVE-2026-45400). None of them belongs in a URL that is written out properly.
  if (!/^[!-[\]-~]+$/.test(url)) return 'the URL may hold only plain ASCII, without spaces and backslashes'
  const parsed = URL.parse(url)
  if (!parsed) return 'it is not a URL'
  const { protocol, hostname, port } = parsed
  const isPlain = protocol === 'http:'
  if (protocol !== 'https:' && !isPlain) return 'the URL must start with https://'
  if (isPlain && !allowPrivate) return 'the URL must start with https://'
  if (parsed.username !== '' || parsed.password !== '' || /^[a-z]+:\/*[^/?#]*@/i.test(url)) {
    return 'the URL must not carry a user name or a password'
  }
  if (!allowPrivate && port !== '' && port !== '8443') return 'the port must be 443 or 8443'
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  // The parser has turned every spelling of an IPv4 address (0x7f.1, 2130706433, 0177.1) into four numbers.
  if (literal !== hostname || parseIpv4(hostname) !== null)
    return addressFault(literal, { allowPrivate, isPlain })
  return nameFault(hostname, policy)
}

/** Whether a URL says by itself that it points into the private network: an address or a name of one. */
export function isPrivateUrl(url: string): boolean {
  const hostname = URL.parse(url)?.hostname ?? ''
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  if (literal !== hostname || parseIpv4(hostname) !== null) return addressKind(literal) === 'private'
  const last = hostname.slice(hostname.lastIndexOf('.') + 1)
  return hostname !== '' && (last === hostname || privateDomains.has(last))
}

function nameFault(name: string, { allowPrivate }: OutboundPolicy): string | null {
  // `localhost.` is another string than `localhost` and the same host: one spelling only.
  if (name.endsWith('.')) return 'the host must not end with a dot'
  if (name === '' || name.length > 253 || name.includes('..')) return 'the host is not a name'
  if (allowPrivate) return null
  const last = name.slice(name.lastIndexOf('.') + 1)
  if (last === name) return 'the host must be a full name, like api.example.com'
  if (privateDomains.has(last)) return `names under .${last} are not public`
  return null
}

/** Top domains that are never delegated publicly (RFC 6761, 6762, 8375, ICANN 2024 for `internal`). */
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

interface Range {
  readonly start: bigint
  readonly bits: number
  readonly kind: AddressKind
}

/** In this order: a single forbidden address comes before the range around it. */
const ipv4Ranges: readonly Range[] = [
  v4('168.63.129.16', 32, 'forbidden'), // Azure's platform service, which looks like a public address
  v4('100.100.100.200', 32, 'forbidden'), // Alibaba Cloud's metadata service
  v4('10.0.0.0', 8, 'private'), // RFC 1918
  v4('100.64.0.0', 10, 'private'), // carrier-grade NAT, RFC 6598
  v4('127.0.0.0', 8, 'private'), // loopback
  v4('172.16.0.0', 12, 'private'), // RFC 1918
  v4('192.168.0.0', 16, 'private'), // RFC 1918
  v4('0.0.0.0', 8, 'forbidden'), // "this network"; Linux takes it for loopback
  v4('169.254.0.0', 16, 'forbidden'), // link-local, with the metadata service at 169.254.169.254
  v4('192.0.0.0', 24, 'forbidden'), // IETF assignments, with Oracle's metadata service at .192
  v4('192.0.2.0', 24, 'forbidden'), // documentation
  v4('192.31.196.0', 24, 'forbidden'), // AS112
  v4('192.52.193.0', 24, 'forbidden'), // AMT
  v4('192.88.99.0', 24, 'forbidden'), // 6to4 relays
  v4('192.175.48.0', 24, 'forbidden'), // AS112
  v4('198.18.0.0', 15, 'forbidden'), // benchmarking
  v4('198.51.100.0', 24, 'forbidden'), // documentation
  v4('203.0.113.0', 24, 'forbidden'), // documentation
  v4('224.0.0.0', 4, 'forbidden'), // multicast
  v4('240.0.0.0', 4, 'forbidden'), // reserved, with the broadcast address
]

const ipv6Ranges: readonly Range[] = [
  v6('fd00:ec2::254', 128, 'forbidden'), // the metadata service of AWS
  v6('fd20:ce::254', 128, 'forbidden'), // the metadata service of Google Cloud
  v6('::1', 128, 'private'), // loopback
  v6('fc00::', 7, 'private'), // unique local, RFC 4193
  v6('2001::', 23, 'forbidden'), // IETF assignments: Teredo, benchmarking, ORCHID
  v6('2001:db8::', 32, 'forbidden'), // documentation
  v6('2002::', 16, 'forbidden'), // 6to4, with an IPv4 address inside
  v6('2620:4f:8000::', 48, 'forbidden'), // AS112
  v6('3fff::', 20, 'forbidden'), // documentation, RFC 9637
]

function kindOf(address: bigint, width: number, ranges: readonly Range[]): AddressKind | null {
  for (const { start, bits, kind } of ranges) {
    const rest = BigInt(width - bits)
    if (address >> rest === start >> rest) return kind
  }
  return null
}

function v4(start: string, bits: number, kind: AddressKind): Range {
  return { start: BigInt(parseIpv4(start) ?? unreadable(start)), bits, kind }
}

function v6(start: string, bits: number, kind: AddressKind): Range {
  return { start: parseIpv6(start) ?? unreadable(start), bits, kind }
}

function unreadable(start: string): never {
  throw new Error(`outbound ranges: ${start} is not an address`)
}

/** Four decimal numbers and nothing else; null for any other spelling. */
function parseIpv4(text: string): number | null {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (!match) return null
  let address = 0
  for (const part of match.slice(1)) {
    // 010 is eight to some readers and ten to others.
    if (Number(part) > 255 || (part.length > 1 && part.startsWith('0'))) return null
    address = address * 256 + Number(part)
  }
  return address
}

/** RFC 4291 text, with `::` once and an IPv4 tail if any; null for anything else, zones included. */
function parseIpv6(text: string): bigint | null {
  const halves = text.split('::')
  if (halves.length > 2) return null
  const head = groupsOf(halves[0] ?? '', halves.length === 1)
  const tail = groupsOf(halves[1] ?? '', true)
  if (!head || !tail) return null
  const missing = 8 - head.length - tail.length
  // `::` stands for at least one group, and without it all eight are written.
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null
  const groups = [...head, ...Array.from({ length: missing }, () => 0), ...tail]
  return groups.reduce((address, group) => (address << 16n) | BigInt(group), 0n)
}

function groupsOf(text: string, isEnd: boolean): number[] | null {
  if (text === '') return []
  const parts = text.split(':')
  const groups: number[] = []
  for (const [index, part] of parts.entries()) {
    const embedded = isEnd && index === parts.length - 1 ? parseIpv4(part) : null
    if (embedded !== null) groups.push(embedded >>> 16, embedded & 0xffff)
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16))
    else return null
  }
  return groups
}
