import { expect, it } from 'vitest'
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
