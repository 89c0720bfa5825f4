import { isIP } from 'node:net'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressFault, addressKind, outboundFault } from './check-outbound-address.ts'

const strict = { allowPrivate: false }
const open = { allowPrivate: true }

describe('addresses of the public Internet are not classified as private or forbidden', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '168.63.129.15',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.0.3.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '203.0.112.255',
    '203.0.114.0',
    '223.255.255.255',
    '2000::',
    '2001:200::1',
    '2001:db7:ffff::1',
    '2001:db9::1',
    '2003::1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
    '3ffe:ffff::1',
    '3fff:1000::1',
  ])('%s', (ip) => {
    expect(addressKind(ip)).toBe('public')
    expect(addressFault(ip, { ...strict, isPlain: false })).toBeNull()
  })
})

describe("addresses of a private network need the operator's permission", () => {
  test.each([
    '10.0.0.0',
    '10.255.255.255',
    '100.64.0.0',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '172.16.0.0',
    '172.31.255.255',
    '192.168.0.0',
    '192.168.255.255',
    '::1',
    '0:0:0:0:0:0:0:1',
    'fc00::',
    'fd12:3456:789a::1',
    'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  ])('%s', (ip) => {
    expect(addressKind(ip)).toBe('private')
    expect(addressFault(ip, { ...strict, isPlain: false })).toMatch(/private/)
    expect(addressFault(ip, { ...open, isPlain: true })).toBeNull()
  })
})

describe('special, metadata and malformed addresses are never called', () => {
  test.each([
    ['this network', '0.0.0.0'],
    ['this network, last', '0.255.255.255'],
    ['link-local', '169.254.0.1'],
    ['metadata', '169.254.169.254'],
    ['metadata of ECS', '169.254.170.2'],
    ['metadata of Azure', '168.63.129.16'],
    ['metadata of Alibaba', '100.100.100.200'],
    ['metadata of Oracle', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['AS112', '192.31.196.1'],
    ['AMT', '192.52.193.1'],
    ['6to4 relay', '192.88.99.1'],
    ['AS112', '192.175.48.1'],
    ['benchmarking', '198.18.0.0'],
    ['benchmarking, last', '198.19.255.255'],
    ['documentation', '198.51.100.7'],
    ['documentation', '203.0.113.255'],
    ['multicast', '224.0.0.1'],
    ['multicast, last', '239.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped loopback, in hex', '::ffff:7f00:1'],
    ['mapped metadata', '::ffff:a9fe:a9fe'],
    ['mapped public', '::ffff:8.8.8.8'],
    ['compatible loopback', '::127.0.0.1'],
    ['compatible, in hex', '::7f00:1'],
    ['translated (SIIT)', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64 of a public address', '64:ff9b::8.8.8.8'],
    ['NAT64, local use', '64:ff9b:1::1'],
    ['discard-only', '100::1'],
    ['dummy prefix', '100:0:0:1::1'],
    ['Teredo', '2001::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['port control anycast', '2001:1::1'],
    ['benchmarking', '2001:2::1'],
    ['ORCHID', '2001:10::1'],
    ['ORCHIDv2', '2001:20::1'],
    ['IETF assignments, last', '2001:1ff:ffff::1'],
    ['documentation', '2001:db8::1'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['6to4 of metadata', '2002:a9fe:a9fe::1'],
    ['AS112', '2620:4f:8000::1'],
    ['documentation', '3fff:fff::1'],
    ['unassigned', '4000::1'],
    ['segment routing', '5f00::1'],
    ['unassigned', 'e000::1'],
    ['link-local', 'fe80::1'],
    ['link-local, last', 'febf::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['metadata of AWS', 'fd00:ec2::254'],
    ['metadata of Google', 'fd20:ce::254'],
    ['public with a zone', '2606:4700::1%1'],
    ['empty', ''],
    ['a name', 'localhost'],
    ['short form', '127.1'],
    ['one number', '2130706433'],
    ['octal', '0177.0.0.1'],
    ['leading zero', '08.8.8.8'],
    ['hex', '0x7f.0.0.1'],
    ['five numbers', '1.2.3.4.5'],
    ['out of range', '8.8.8.256'],
    ['spaces', ' 8.8.8.8'],
    ['line end', '8.8.8.8\n'],
    ['brackets', '[2606:4700::1]'],
    ['two gaps', '2606::4700::1'],
    ['nine groups', '2606:1:2:3:4:5:6:7:8'],
    ['seven groups', '2606:1:2:3:4:5:6'],
    ['a gap for nothing', '2606:1:2:3::4:5:6:7'],
    ['lone colon', '2606:4700::1:'],
    ['five digits', '2606:47000::1'],
    ['IPv4 not at the end', '2606:1.2.3.4::1'],
    ['bad IPv4 at the end', '2606::1.2.3.999'],
  ])('the address %s: %s', (_, ip) => {
    expect(addressKind(ip)).toBe('forbidden')
    expect(addressFault(ip, { ...strict, isPlain: false })).toMatch(
      /requests to this address are never allowed/,
    )
    expect(addressFault(ip, { ...open, isPlain: true })).toMatch(/requests to this address are never allowed/)
  })
})

test('a text that Node does not parse as an address is never classified as public', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.ipV4Extended()), (text) => {
      expect(addressKind(text) !== 'public' || isIP(text) > 0).toBe(true)
    }),
  )
})

test('every spelling of an IPv6 address is classified in the same way', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), (groups) => {
      const full = groups.map((group) => group.toString(16).padStart(4, '0')).join(':')
      const short = new URL(`http://[${full}]`).hostname.slice(1, -1)
      expect(addressKind(short)).toBe(addressKind(full))
      expect(addressKind(full.toUpperCase())).toBe(addressKind(full))
    }),
  )
})

test('plain http never goes to a public address', () => {
  expect(addressFault('8.8.8.8', { ...open, isPlain: true })).toMatch(/plain http/)
  expect(addressFault('8.8.8.8', { ...open, isPlain: false })).toBeNull()
})

describe('valid URLs of providers and webhooks are allowed', () => {
  test.each([
    'https://api.openai.com/v1',
    'https://api.example.com:443/v1',
    'https://api.example.com:8443/hook?a=b',
    'https://xn--bcher-kva.example/v1',
    'https://1.1.1.1/',
    'https://[2606:4700:4700::1111]/',
    'https://example.com/a@b',
    'HTTPS://API.EXAMPLE.COM',
  ])('%s', (url) => {
    expect(outboundFault(url, strict)).toBeNull()
    expect(outboundFault(url, open)).toBeNull()
  })

  test.each([
    'http://127.0.0.1:11434/v1',
    'http://localhost:8000/v1',
    'http://ollama:11434',
    'https://vllm.internal:9000/v1',
    'http://[::1]:8080',
    'http://10.1.2.3/v1',
    'https://models.corp.example.com:1234',
  ])('allowed only if the operator allows the private network: %s', (url) => {
    expect(outboundFault(url, strict)).not.toBeNull()
    expect(outboundFault(url, open)).toBeNull()
  })
})

describe('URLs to forbidden addresses, and malformed URLs, are rejected', () => {
  test.each([
    ['http://api.example.com', /https/],
    ['ftp://example.com', /https/],
    ['file:///etc/passwd', /https/],
    ['gopher://example.com', /https/],
    ['data:text/plain,x', /https/],
    ['https://api.example.com:444', /port/],
    ['https://api.example.com:22', /port/],
    ['https://api.example.com:80', /port/],
    ['https://single', /full name/],
    ['https://localhost', /full name/],
    ['https://foo.localhost', /localhost/],
    ['https://metadata.google.internal', /internal/],
    ['https://printer.local', /local/],
    ['https://router.lan', /lan/],
    ['https://1.0.0.127.in-addr.arpa', /arpa/],
    ['https://127.0.0.1', /private/],
    ['https://0x7f.1', /private/],
    ['https://2130706433', /private/],
    ['https://017700000001', /private/],
    ['https://127.1', /private/],
    ['https://10.0.0.1', /private/],
    ['https://[::1]', /private/],
  ] as const)('rejected unless the operator allows the private network: %s', (url, fault) => {
    expect(outboundFault(url, strict)).toMatch(fault)
  })

  test.each([
    ['', /ASCII/],
    ['example.com', /not a URL/],
    ['https://', /not a URL/],
    ['javascript:alert(1)', /https/],
    ['https://user@api.example.com', /user name/],
    ['https://user:pass@api.example.com', /user name/],
    ['https://@api.example.com', /user name/],
    ['https://:@api.example.com', /user name/],
    ['https://api.example.com\\@127.0.0.1', /ASCII/],
    ['https://api.exa\tmple.com', /ASCII/],
    ['https://api.example.com/\n', /ASCII/],
    [' https://api.example.com', /ASCII/],
    ['https://①②⑦.0.0.1', /ASCII/],
    ['https://１２７.0.0.1', /ASCII/],
    ['https://127。0。0。1', /ASCII/],
    ['https://bücher.example', /ASCII/],
    ['https://localhost.', /dot/],
    ['https://api.example.com.', /dot/],
    ['https://metadata.google.internal.', /dot/],
    ['https://169.254.169.254/latest/meta-data', /requests to this address are never allowed/],
    ['https://[::ffff:127.0.0.1]', /requests to this address are never allowed/],
    ['https://[::ffff:7f00:1]', /requests to this address are never allowed/],
    ['https://[::127.0.0.1]', /requests to this address are never allowed/],
    ['https://[64:ff9b::7f00:1]', /requests to this address are never allowed/],
    ['https://[fe80::1]', /requests to this address are never allowed/],
    ['https://0/', /requests to this address are never allowed/],
    ['https://0.0.0.0/', /requests to this address are never allowed/],
    ['https://255.255.255.255/', /requests to this address are never allowed/],
    ['https://[fe80::1%25eth0]/', /not a URL/],
  ] as const)('always rejected: %j', (url, fault) => {
    expect(outboundFault(url, strict)).toMatch(fault)
    expect(outboundFault(url, open)).toMatch(fault)
  })

  test('plain http to a public address is rejected, even if the private network is allowed', () => {
    expect(outboundFault('http://8.8.8.8/v1', open)).toMatch(/plain http/)
  })
})
