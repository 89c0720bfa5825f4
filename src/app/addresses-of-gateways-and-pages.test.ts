import { expect, it } from 'vitest'
import { hostTable } from '#domain/network/surface-selected-by-host.ts'
import { addressesOf, surfacesOf } from './addresses-of-gateways-and-pages.ts'
import { readConfig } from './server-configuration.ts'

const addresses = (environment: Record<string, string> = {}, port = 8080) =>
  addressesOf(readConfig(environment, { data: '/tmp/none' }), port)

it('the origins of gateways are returned in the form that a content security policy accepts', () => {
  const sources = [
    ['https://{slug}.gateway.example.com', 'https://*.gateway.example.com'],
    ['https://gw-{slug}.example.com', 'https://*.example.com'],
    ['https://api.{slug}.example.com:8443', 'https://*.example.com:8443'],
    ['https://{slug}:8443', 'https://*:8443'],
  ]
  for (const [template = '', source] of sources) {
    expect(addresses({ TOLLGATE_GATEWAY_URL: template }).gatewayOrigins, template).toEqual([source])
  }
})

it('in local mode, the origins of the gateways and of the console include loopback addresses', () => {
  const local = addresses({}, 9000)
  expect(local.gatewayOrigins).toEqual(['http://*.gateway.localhost:9000', 'http://127.0.0.1:*'])
  expect([...local.consoleOrigins]).toEqual([
    'http://localhost:9000',
    'http://127.0.0.1:9000',
    'http://[::1]:9000',
  ])
  expect(local.portalOf('acme')).toBe('http://acme.portal.localhost:9000')
})

it('in local mode, addresses have the port of the base URL if it differs from the port on which the server listens', () => {
  const application = {
    applicationId: 'app_1',
    slug: 'acme',
    isArchived: false,
    gatewayPort: null,
    portalPort: null,
  }
  const published = addresses({ TOLLGATE_BASE_URL: 'http://localhost:9090' }, 8080)
  expect(published.baseUrl).toBe('http://localhost:9090')
  expect(published.urlsOf(application)).toEqual({
    gateway: 'http://acme.gateway.localhost:9090',
    portal: 'http://acme.portal.localhost:9090',
  })
  expect([...published.consoleOrigins]).toContain('http://localhost:9090')
  expect(published.gatewayOrigins).toContain('http://*.gateway.localhost:9090')
  const hosts = hostTable(surfacesOf(published, 8080, [application]))
  for (const port of [8080, 9090]) {
    expect(hosts.find(`localhost:${port}`)).toEqual({ kind: 'control' })
    expect(hosts.find(`acme.gateway.localhost:${port}`)).toEqual({ kind: 'gateway', applicationId: 'app_1' })
  }
  const own = addresses({ TOLLGATE_PORTAL_URL: 'http://{slug}.portal.localhost:7000' }, 9000)
  expect(own.portalOf('acme')).toBe('http://acme.portal.localhost:7000')
  expect(own.gatewayOf('acme')).toBe('http://acme.gateway.localhost:9000')
  expect(addresses({ TOLLGATE_BASE_URL: 'http://localhost:8080' }, 9000).baseUrl).toBe(
    'http://localhost:9000',
  )
})

it('outside local mode, the console has exactly one origin, in the form that browsers send', () => {
  const { consoleOrigins } = addresses({
    TOLLGATE_BASE_URL: 'https://Console.example.com:443',
    TOLLGATE_GATEWAY_URL: 'https://{slug}.gateway.example.com',
  })
  expect([...consoleOrigins]).toEqual(['https://console.example.com'])
})

it('if the control plane uses a port that an application had before, the port belongs to the control plane', () => {
  const application = {
    applicationId: 'app_1',
    slug: 'acme',
    isArchived: false,
    gatewayPort: 9000,
    portalPort: 9001,
  }
  const surfaces = surfacesOf(addresses({}, 9000), 9000, [application])
  expect(surfaces.get('127.0.0.1:9000')).toEqual({ kind: 'control' })
  expect(surfaces.get('localhost:9000')).toEqual({ kind: 'control' })
  expect(surfaces.get('localhost:9001')).toEqual({ kind: 'portal', applicationId: 'app_1' })
})
