/**
 * Compares client addresses with ranges in CIDR notation (RFC 4632, RFC 4291 2.3). Addresses are compared as numbers,
 * because comparisons of addresses as text are unsafe (check-outbound-address.ts). An IPv4 address inside an IPv6
 * address (`::ffff:192.0.2.1`, as a dual-stack socket reports it) counts as that IPv4 address.
 */
import { isIPv4, isIPv6 } from 'node:net'

interface Address {
  readonly family: 4 | 6
  readonly value: bigint
}

interface Range extends Address {
  /** Number of low bits that are not compared. */
  readonly hostBits: bigint
}

/**
 * Returns the error in a range, as a sentence fragment. An address without a prefix length is a range of one address.
 * Bits after the prefix must be 0, because a range with other bits would be ambiguous.
 */
export function rangeFault(text: string): string | null {
  const found = rangeOf(text)
  return typeof found === 'string' ? found : null
}

export class AddressRanges {
  readonly #ranges: readonly Range[]

  constructor(ranges: readonly string[]) {
    this.#ranges = ranges.map((text) => {
      const range = rangeOf(text)
      if (typeof range === 'string') throw new Error(`the range ${text} cannot be used: ${range}`)
      return range
    })
  }

  /** @param ip an address as text; the result is false if the text is not an address */
  has(ip: string): boolean {
    const address = addressOf(ip)
    if (address === null) return false
    return this.#ranges.some(
      ({ family, hostBits, value }) =>
        family === address.family && address.value >> hostBits === value >> hostBits,
    )
  }
}

/** For IPv6, the network is the whole /64, which usually has one owner (RFC 6177). */
export function networkName(ip: string): string {
  const address = addressOf(ip)
  return address?.family === 6 ? `${(address.value >> 64n).toString(16)}::/64` : ip
}

/**
 * Returns the site that an address belongs to, such as `203.0.113.0/24`. For an IPv6 address, the site is the /48,
 * which is usually assigned to one site (RFC 6177). When callers take turns, each site has one turn, however many
 * addresses the site uses.
 */
export function siteOf(ip: string): string {
  const address = addressOf(ip)
  if (address === null) return ip
  const { family, value } = address
  if (family === 4) return `${[24n, 16n, 8n].map((bits) => (value >> bits) & 0xffn).join('.')}.0/24`
  return `${[112n, 96n, 80n].map((bits) => ((value >> bits) & 0xffffn).toString(16)).join(':')}::/48`
}

/** Zones (`fe80::1%eth0`) are names on this machine, and are ignored. */
function addressOf(text: string): Address | null {
  if (isIPv4(text)) return { family: 4, value: valueOfIPv4(text) }
  if (text.includes('%') || !isIPv6(text)) return null
  const value = valueOfIPv6(text)
  return value >> 32n === mappedPrefix ? { family: 4, value: value & 0xffff_ffffn } : { family: 6, value }
}

/** The IPv6 range `::ffff:0:0/96`, which contains the IPv4 addresses. */
const mappedPrefix = 0xffffn

function rangeOf(text: string): Range | string {
  const [ip = '', length, ...rest] = text.split('/')
  const address = addressOf(ip)
  if (address === null || rest.length > 0) return notARange
  const isMapped = address.family === 4 && !isIPv4(ip)
  if (isMapped) return 'must be written as an IPv4 range, like 192.0.2.0/24'
  const bits = address.family === 4 ? 32 : 128
  if (length !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(length)) return notARange
  const prefixBits = length === undefined ? bits : Number(length)
  if (prefixBits > bits) return `must have a prefix of at most ${bits} bits`
  const hostBits = BigInt(bits - prefixBits)
  return (address.value >> hostBits) << hostBits === address.value
    ? { ...address, hostBits }
    : `must have no bits set after its prefix of ${prefixBits}`
}

const notARange = 'must be an address or a range of addresses, like 192.0.2.0/24 or 2001:db8::/32'

function valueOfIPv4(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

/** @param text an address that Node has already validated */
function valueOfIPv6(text: string): bigint {
  const dotted = text.slice(text.lastIndexOf(':') + 1)
  const isDotted = dotted.includes('.')
  const groups = isDotted ? `${text.slice(0, -dotted.length)}${inGroups(valueOfIPv4(dotted))}` : text
  const [front = '', back] = groups.split('::')
  const first = front === '' ? [] : front.split(':')
  const last = back === undefined || back === '' ? [] : back.split(':')
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0')
  return [...first, ...zeros, ...last].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}

function inGroups(ipv4: bigint): string {
  return `${(ipv4 >> 16n).toString(16)}:${(ipv4 & 0xffffn).toString(16)}`
}
