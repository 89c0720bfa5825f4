import { describe, expect, it } from 'vitest'
import { hostTable, parseHost, type Surface } from './surface-selected-by-host.ts'

const control: Surface = { kind: 'control' }
const acme: Surface = { kind: 'gateway', applicationId: 'app_acme' }
const local: Surface = { kind: 'gateway', applicationId: 'app_local' }
const table = () =>
  hostTable(
    new Map<string, Surface>([
      ['api.example.com', control],
      ['acme.gateway.example.com', acme],
      ['127.0.0.1:8101', local],
      ['localhost:8080', control],
    ]),
  )

describe('the surface that a Host header selects', () => {
  it.each([
    ['acme.gateway.example.com', acme],
    ['ACME.Gateway.Example.COM', acme],
    ['acme.gateway.example.com:443', acme],
    ['acme.gateway.example.com:8080', acme],
    ['127.0.0.1:8101', local],
    ['localhost:8080', control],
    ['api.example.com', control],
  ])('the Host header %s selects the surface of this host', (host, surface) => {
    expect(table().find(host)).toEqual(surface)
  })

  it.each([
    ['acme.gateway.example.com.evil'],
    ['evil.acme.gateway.example.com'],
    ['other.gateway.example.com'],
    ['127.0.0.1'],
    ['127.0.0.1:8102'],
    ['localhost:8101'],
    ['[::1]:8101'],
    ['203.0.113.5'],
    ['xn--dmo-bma.gateway.example.com'],
  ])('the Host header %s selects no surface', (host) => {
    expect(table().find(host)).toBe('unknown')
  })

  it.each([
    [''],
    ['acme.gateway.example.com/admin?'],
    ['acme.gateway.example.com?x'],
    ['acme.gateway.example.com#x'],
    ['user@acme.gateway.example.com'],
    ['acme.gateway.example.com.'],
    ['acme..gateway.example.com'],
    ['acme.gateway.example.com:'],
    ['acme.gateway.example.com:123456'],
    ['acme.gateway.example.com:80a'],
    ['acme_gateway.example.com'],
    ['démo.gateway.example.com'],
    ['acme.gateway.example.com, api.example.com'],
    ['acme.gateway.example.com\\x'],
    [' acme.gateway.example.com'],
    ['a'.repeat(300)],
    ['[::1'],
  ])('the Host header %j is malformed', (host) => {
    expect(table().find(host)).toBe('malformed')
  })

  it('only known hosts are cached, so that a flood of invented hosts cannot fill memory', () => {
    const hosts = table()
    expect(hosts.find('a.example.com')).toBe('unknown')
    expect(hosts.find('acme.gateway.example.com')).toBe(hosts.find('acme.gateway.example.com'))
  })
})

describe('the syntax of a Host header', () => {
  it('a host may be an IPv6 address in brackets', () => {
    expect(parseHost('[::1]:8080')).toEqual({ name: '[::1]', port: '8080' })
  })
})
