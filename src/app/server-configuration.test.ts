import { describe, expect, it } from 'vitest'
import { ConfigFaults, readConfig } from './server-configuration.ts'
import { storeLocation } from './store-location.ts'

describe('the configuration of a server process', () => {
  it('a process trusts no proxy by default', () => {
    expect(readConfig({}).trustedProxies).toBeNull()
    const listed = readConfig({ TOLLGATE_TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::/32,192.0.2.1' })
    expect(listed.trustedProxies).toEqual(['10.0.0.0/8', '2001:db8::/32', '192.0.2.1'])
  })

  it('every invalid address range is listed in the error', () => {
    const read = (): unknown => readConfig({ TOLLGATE_TRUSTED_PROXIES: '10.0.0.1/8,,proxy.internal' })
    expect(read).toThrow(ConfigFaults)
    expect(read).toThrow(
      /10\.0\.0\.1\/8 must have no bits set.*\n.*\(empty\) must be.*\n.*proxy\.internal must be/,
    )
  })

  it('a setting selects the logged requests: all requests, only failures, or failures and a share of the successful requests', () => {
    const share = (text: string): number => readConfig({ TOLLGATE_LOG_CALLS: text }).callLogShare
    expect(readConfig({}).callLogShare).toBe(0.01)
    expect([share('all'), share('errors'), share('0.01'), share('.5')]).toEqual([1, 0, 0.01, 0.5])
    for (const text of ['0', '0.0', '1.5', '-0.1', 'some', '1e-3', '10%']) {
      expect(() => share(text), text).toThrow(/must be all, errors, or the share/)
    }
  })

  it('by default, metrics cannot be read without a token', () => {
    expect(readConfig({}).metricsAddresses).toBeNull()
    const listed = readConfig({ TOLLGATE_METRICS_ADDRESSES: '10.0.0.0/8,::1' })
    expect(listed.metricsAddresses).toEqual(['10.0.0.0/8', '::1'])
    expect(() => readConfig({ TOLLGATE_METRICS_ADDRESSES: 'prometheus' })).toThrow(/prometheus must be/)
  })

  it('mail is enabled only if all settings of mail are set, and the identity provider only if all of its settings are set', () => {
    expect(readConfig({})).toMatchObject({ smtp: null, oidc: null })
    const url = 'smtp://user:password@mail.example.com:587'
    const from = 'Tollgate <tollgate@example.com>'
    expect(readConfig({ TOLLGATE_SMTP_URL: url, TOLLGATE_SMTP_FROM: from }).smtp).toEqual({ url, from })
    const oidc = {
      TOLLGATE_OIDC_ISSUER: 'https://id.example.com/realm',
      TOLLGATE_OIDC_CLIENT_ID: 'tollgate',
      TOLLGATE_OIDC_CLIENT_SECRET: 'secret',
    }
    expect(readConfig(oidc).oidc).toMatchObject({ clientId: 'tollgate', allowedDomains: null })
    const narrowed = readConfig({ ...oidc, TOLLGATE_OIDC_ALLOWED_DOMAINS: 'Example.com, example.org' })
    expect(narrowed.oidc?.allowedDomains).toEqual(['example.com', 'example.org'])
  })

  it.each([
    [{ TOLLGATE_SMTP_URL: 'smtp://mail.example.com' }, /TOLLGATE_SMTP_FROM: must also be set/],
    [{ TOLLGATE_SMTP_URL: 'https://mail.example.com', TOLLGATE_SMTP_FROM: 'a@b.c' }, /must be smtp:\/\//],
    [
      { TOLLGATE_OIDC_ISSUER: 'https://id.example.com' },
      /TOLLGATE_OIDC_CLIENT_ID, TOLLGATE_OIDC_CLIENT_SECRET: must also be set/,
    ],
    [{ TOLLGATE_OIDC_ISSUER: 'http://id.example.com' }, /must be the https address/],
    [{ TOLLGATE_OIDC_ISSUER: 'https://user@id.example.com' }, /must be the https address/],
  ])(
    'if settings of mail or the identity provider are incomplete or wrong, the configuration is rejected: %j',
    (environment, reason) => {
      expect(() => readConfig(environment)).toThrow(reason)
    },
  )
})

describe('a setting whose name is unknown', () => {
  it('a setting with an unknown name is an error, unless it is a setting of the SDKs or the command line', () => {
    expect(() => readConfig({ TOLLGATE_CONTROL_RATES: '5' })).toThrow(
      /TOLLGATE_CONTROL_RATES: unknown setting/,
    )
    const ofClient = { TOLLGATE_TOKEN: 'sk_1', TOLLGATE_APP: 'acme', TOLLGATE_MODE: 'test' }
    expect(readConfig(ofClient)).toEqual(readConfig({}))
  })

  it('an empty variable counts as unset', () => {
    const empty = {
      TOLLGATE_LISTEN: '',
      TOLLGATE_SMTP_URL: '',
      TOLLGATE_OIDC_ISSUER: '',
      TOLLGATE_CONTROL_RATES: '',
      DATABASE_URL: '',
    }
    expect(JSON.stringify(readConfig(empty))).toBe(JSON.stringify(readConfig({})))
    expect(storeLocation(empty, undefined)).toEqual(storeLocation({}, undefined))
  })

  it('white space around a value is ignored, because values from files often end in a line break', () => {
    const url = 'postgres://tollgate@db/tollgate'
    const read = readConfig({
      TOLLGATE_BASE_URL: 'https://console.example.com\r',
      TOLLGATE_DEMO: ' false\n',
      TOLLGATE_DRAIN_SECONDS: '30\r\n',
      TOLLGATE_WARM_UP: '\r',
      DATABASE_URL: `${url}\n`,
    })
    expect(read).toMatchObject({
      baseUrl: 'https://console.example.com',
      servesDemo: false,
      drainMs: 30_000,
      warmsUp: true,
      databaseUrl: url,
    })
    expect(storeLocation({ DATABASE_URL: `${url}\r` }, undefined)).toEqual({ engine: 'postgres', url })
  })
})

describe('an invalid value', () => {
  it.each([
    ['TOLLGATE_DRAIN_SECONDS', '10m', 'must be a whole number from 0 to 3600'],
    ['TOLLGATE_DRAIN_SECONDS', '3601', 'must be a whole number from 0 to 3600'],
    ['TOLLGATE_WAITING_MS', '1.5', 'must be a whole number from 0 to 60000'],
    ['TOLLGATE_BODY_MEMORY_MIB', '31', 'must be a whole number from 32 to 1048576'],
    ['TOLLGATE_CONNECTIONS_MAX', '-1', 'must be a whole number from 1 to 1000000'],
    ['TOLLGATE_DEMO', 'yes', 'must be true or false'],
    ['TOLLGATE_LOG_LEVEL', 'trace', 'must be debug, info, warn, error or silent'],
    ['TOLLGATE_SMTP_FROM', 'Tollgate', 'must be an email address, for example'],
    ['TOLLGATE_MASTER_KEY', 'ab'.repeat(32), 'A master key must be base64 of 32 bytes.'],
  ])('the error for %s=%s states the valid values', (name, value, reason) => {
    const more = name === 'TOLLGATE_SMTP_FROM' ? { TOLLGATE_SMTP_URL: 'smtp://mail.example.com' } : {}
    expect(() => readConfig({ ...more, [name]: value })).toThrow(`  - ${name}: ${reason}`)
  })

  it('both limits of a number are valid values', () => {
    const drainMs = (text: string): number => readConfig({ TOLLGATE_DRAIN_SECONDS: text }).drainMs
    expect([drainMs('0'), drainMs('3600')]).toEqual([0, 3_600_000])
  })
})

describe('addresses', () => {
  const urls = (baseUrl: string, gatewayUrl: string): string[] => {
    const read = readConfig({ TOLLGATE_BASE_URL: baseUrl, TOLLGATE_GATEWAY_URL: gatewayUrl })
    return [read.baseUrl, read.gatewayUrl]
  }

  it('a slash at the end of an address is removed, because paths are appended to the address', () => {
    const plain = ['https://console.example.com', 'https://{slug}.api.example.com']
    expect(urls('https://console.example.com', 'https://{slug}.api.example.com')).toEqual(plain)
    expect(urls('https://console.example.com/', 'https://{slug}.api.example.com/')).toEqual(plain)
  })

  it.each([
    'console.example.com',
    'https:/console.example.com',
    'https://a.example/x',
    'https://a.example/#',
    'https://u@a.example',
    'ftp://a.example',
    'https://a.example\\',
  ])('an address with other parts than a host and a port is rejected: %s', (address) => {
    expect(() => readConfig({ TOLLGATE_BASE_URL: address })).toThrow(
      'TOLLGATE_BASE_URL: must be an http(s) address without a path',
    )
  })

  it.each([
    'https://api.example.com',
    'https://{slug}.{slug}.example.com',
    'https://api.example.com/{slug}',
    'https://api.example.com#{slug}',
  ])(
    'an address of gateways that does not contain the slug once, in its host, is rejected: %s',
    (address) => {
      expect(() => readConfig({ TOLLGATE_GATEWAY_URL: address })).toThrow(
        'TOLLGATE_GATEWAY_URL: must be an http(s) address that contains {slug} once and has no path',
      )
    },
  )
})
