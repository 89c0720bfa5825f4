import { describe, expect, it } from 'vitest'
import { hostTable, parseHost, type Surface } from './host-surfaces.ts'

const control: Surface = { kind: 'control' }
const demo: Surface = { kind: 'gateway', applicationId: 'app_demo' }
const local: Surface = { kind: 'gateway', applicationId: 'app_local' }
const table = () =>
  hostTable(
    new Map<string, Surface>([
      ['api.example.com', control],
      ['demo.gateway.example.com', demo],
      ['127.0.0.1:8101', local],
      ['localhost:8080', control],
    ]),
  )

describe('hostTable', () => {
  it.each([
    ['demo.gateway.example.com', demo],
    ['DEMO.Gateway.Example.COM', demo],
    ['demo.gateway.example.com:443', demo],
    ['demo.gateway.example.com:8080', demo],
    ['127.0.0.1:8101', local],
    ['localhost:8080', control],
    ['api.example.com', control],
  ])('%s selects its surface', (host, surface) => {
    expect(table().find(host)).toEqual(surface)
  })

  it.each([
    ['demo.gateway.example.com.evil'],
    ['evil.demo.gateway.example.com'],
    ['other.gateway.example.com'],
    ['127.0.0.1'],
    ['127.0.0.1:8102'],
    ['localhost:8101'],
    ['[::1]:8101'],
    ['203.0.113.5'],
    ['xn--dmo-bma.gateway.example.com'],
  ])('%s selects no surface', (host) => {
    expect(table().find(host)).toBe('unknown')
  })

  it.each([
    [''],
    ['demo.gateway.example.com/admin?'],
    ['demo.gateway.example.com?x'],
    ['demo.gateway.example.com#x'],
    ['user@demo.gateway.example.com'],
    ['demo.gateway.example.com.'],
    ['demo..gateway.example.com'],
    ['demo.gateway.example.com:'],
    ['demo.gateway.example.com:123456'],
    ['demo.gateway.example.com:80a'],
    ['demo_gateway.example.com'],
    ['démo.gateway.example.com'],
    ['demo.gateway.example.com, api.example.com'],
    ['demo.gateway.example.com\\x'],
    [' demo.gateway.example.com'],
    ['a'.repeat(300)],
    ['[::1'],
  ])('%j is not a host', (host) => {
    expect(table().find(host)).toBe('malformed')
  })

  it('caches only hits, so that invented hosts cannot fill memory', () => {
    const hosts = table()
    expect(hosts.find('a.example.com')).toBe('unknown')
    expect(hosts.find('demo.gateway.example.com')).toBe(hosts.find('demo.gateway.example.com'))
  })
})

describe('parseHost', () => {
  it('accepts IPv6 in brackets', () => {
    expect(parseHost('[::1]:8080')).toEqual({ name: '[::1]', port: '8080' })
  })
})
