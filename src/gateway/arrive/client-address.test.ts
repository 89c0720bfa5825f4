import { describe, expect, it } from 'vitest'
import { AddressRanges } from '#domain/network/address-ranges.ts'
import { clientAddress } from './client-address.ts'

const trusted = new AddressRanges(['10.0.0.0/8', '2001:db8:1::/48'])

function seen(
  remoteAddress: string | undefined,
  forwarded?: string,
  proxies: AddressRanges | null = trusted,
) {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return clientAddress({ headers, socket: { remoteAddress } }, proxies)
}

describe('threat 7: the address of a client', () => {
  it('without trusted proxies, the client address is the address of the connection, regardless of the headers', () => {
    expect(seen('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9')
    expect(seen('10.1.2.3', '198.51.100.1', null)).toBe('10.1.2.3')
    expect(seen('10.1.2.3')).toBe('10.1.2.3')
    expect(seen(undefined, '198.51.100.1')).toBeNull()
  })

  it('behind trusted proxies, the client address is the last address in the header that is not a trusted proxy', () => {
    expect(seen('10.1.2.3', '198.51.100.1')).toBe('198.51.100.1')
    expect(seen('::ffff:10.1.2.3', '198.51.100.1')).toBe('198.51.100.1')
    expect(seen('10.1.2.3', '192.0.2.66, 198.51.100.1, 10.9.9.9')).toBe('198.51.100.1')
    expect(seen('2001:db8:1::5', '2001:db8:2::7')).toBe('2001:db8:2::7')
  })

  it('addresses that the client itself put into X-Forwarded-For are ignored', () => {
    expect(seen('10.1.2.3', '127.0.0.1, 10.0.0.1, 198.51.100.1')).toBe('198.51.100.1')
  })

  it('if all addresses are trusted proxies, the client address is the proxy furthest from the server', () => {
    expect(seen('10.1.2.3', '10.0.0.1, 10.0.0.2')).toBe('10.0.0.1')
  })

  it('a forwarded client address may include a port', () => {
    expect(seen('10.1.2.3', '198.51.100.1:4711')).toBe('198.51.100.1')
    expect(seen('10.1.2.3', '[2001:db8:2::7]:4711')).toBe('2001:db8:2::7')
    expect(seen('10.1.2.3', '[2001:db8:2::7]')).toBe('2001:db8:2::7')
  })

  it('the client address is unknown if a trusted proxy forwards an invalid address', () => {
    for (const junk of [
      '',
      'unknown',
      'a.example',
      '198.51.100.1;',
      '1.2.3',
      '198.51.100.1, ',
      '[1.2.3.4',
      '::1%lo',
    ])
      expect(seen('10.1.2.3', junk), junk).toBeNull()
  })
})
