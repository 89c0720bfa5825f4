import fc from 'fast-check'
import { BlockList, isIPv6 } from 'node:net'
import { describe, expect, it } from 'vitest'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { AddressRanges, rangeFault } from './address-ranges.ts'

const notARange = 'must be an address or a range of addresses, like 192.0.2.0/24 or 2001:db8::/32'

const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 })

/** Groups may have leading zeros, and a run of zeros may be omitted. */
const spelledIPv6 = fc
  .tuple(groups, fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 7 }), fc.boolean(), fc.boolean())
  .map(([values, zeros, at, isPadded, isDotted]) => {
    const from = Math.min(at, 8 - zeros)
    const all = values.map((value, i) => (i >= from && i < from + zeros ? 0 : value))
    const hex = all.map((value) => value.toString(16).padStart(isPadded ? 4 : 1, '0'))
    const [high = 0, low = 0] = all.slice(6)
    const tail = isDotted ? [[high >> 8, high & 255, low >> 8, low & 255].join('.')] : hex.slice(6)
    const parts = [...hex.slice(0, 6), ...tail]
    const end = Math.min(from + zeros, 6)
    const text =
      zeros > 0 && from < end
        ? `${parts.slice(0, from).join(':')}::${parts.slice(end).join(':')}`
        : parts.join(':')
    return { text, value: all.reduce((sum, value) => (sum << 16n) | BigInt(value), 0n) }
  })

describe('ranges of IP addresses', () => {
  it("address ranges contain the same addresses as in Node's implementation, for every prefix length of IPv4 and IPv6", () => {
    const anyRange = fc.oneof(
      fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 }), fc.constant(32)),
      fc.tuple(
        spelledIPv6.map(({ text }) => text),
        fc.integer({ min: 0, max: 128 }),
        fc.constant(128),
      ),
    )
    fc.assert(
      fc.property(anyRange, fc.ipV4(), spelledIPv6, ([base, prefix, bits], v4, v6) => {
        const family = bits === 32 ? 'ipv4' : 'ipv6'
        const text = `${base}/${prefix}`
        if (rangeFault(text) !== null) return
        const ranges = new AddressRanges([text])
        const list = new BlockList()
        list.addSubnet(base, prefix, family)
        const isMapped = v6.value >> 32n === 0xffffn
        expect(ranges.has(v4)).toBe(family === 'ipv4' && list.check(v4, 'ipv4'))
        if (!isMapped) expect(ranges.has(v6.text)).toBe(family === 'ipv6' && list.check(v6.text, 'ipv6'))
        expect(ranges.has(base)).toBe(true)
      }),
      sampledRuns(2_000),
    )
  })

  it('every spelling of an address is read as the same address', () => {
    fc.assert(
      fc.property(spelledIPv6, ({ text, value }) => {
        fc.pre(value >> 32n !== 0xffffn)
        expect(isIPv6(text)).toBe(true)
        const plain = [...Array(8).keys()].map((i) =>
          ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16),
        )
        expect(new AddressRanges([plain.join(':')]).has(text)).toBe(true)
        expect(new AddressRanges([text]).has(plain.join(':'))).toBe(true)
      }),
      sampledRuns(2_000),
    )
  })

  it('an IPv4 address inside an IPv6 address is treated as the IPv4 address', () => {
    const ranges = new AddressRanges(['192.0.2.0/24', '::/0'])
    expect(ranges.has('::ffff:192.0.2.7')).toBe(true)
    expect(ranges.has('::ffff:c000:207')).toBe(true)
    expect(ranges.has('::ffff:192.0.3.7')).toBe(false)
    expect(ranges.has('192.0.3.7')).toBe(false)
    expect(ranges.has('2001:db8::1')).toBe(true)
  })

  it.each<[string, string | null]>([
    ['192.0.2.1', null],
    ['192.0.2.0/24', null],
    ['0.0.0.0/0', null],
    ['2001:db8::/32', null],
    ['::1', null],
    ['192.0.2.1/24', 'must have no bits set after its prefix of 24'],
    ['2001:db8::1/64', 'must have no bits set after its prefix of 64'],
    ['192.0.2.0/33', 'must have a prefix of at most 32 bits'],
    ['2001:db8::/129', 'must have a prefix of at most 128 bits'],
    ['::ffff:192.0.2.0/120', 'must be written as an IPv4 range, like 192.0.2.0/24'],
    ...[
      '',
      '/',
      '192.0.2.0/',
      '192.0.2.0/024',
      '192.0.2.0/+24',
      '192.0.2.0/24/24',
      '192.0.2/24',
      '192.0.2.0 /24',
      ' 192.0.2.0/24',
      '192.0.02.0/24',
      '0xc0.0.2.0/24',
      '3221225984',
      '192.0.2.0/255.255.255.0',
      'fe80::1%eth0',
      'fe80::/1e1',
      '[2001:db8::]/32',
      '2001:db8::/32\n',
      'localhost',
      '*',
    ].map((text): [string, string] => [text, notARange]),
  ])('whether %j is a range of addresses: %s', (text, fault) => {
    expect(rangeFault(text)).toBe(fault)
  })

  it('a text that is not an IP address is in no address range', () => {
    const all = new AddressRanges(['0.0.0.0/0', '::/0'])
    for (const text of ['', 'x', '1.2.3', 'fe80::1%lo', '1.2.3.4:80', '[::1]'])
      expect(all.has(text)).toBe(false)
  })
})
