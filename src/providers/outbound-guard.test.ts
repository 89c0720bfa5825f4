import { createPrivateKey } from 'node:crypto'
import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import * as tls from 'node:tls'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { buildConnector } from 'undici'
import { directReads } from './shared-read-buffer.ts'
import { NameResolver } from './name-resolver.ts'
import { guardedConnector, OutboundRefused } from './outbound-guard.ts'
import { ProviderClient } from './provider-client.ts'

const systemNames = new NameResolver().of('org_1')

let server: Server
let port = ''
let connections = 0

beforeEach(async () => {
  connections = 0
  server = createServer().on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  port = String(typeof address === 'object' ? address?.port : '')
})
afterEach(async () => {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
})

const loopback = { address: '127.0.0.1', family: 4 }

function resolver(names: Record<string, LookupAddress[]>) {
  return (hostname: string, callback: (error: Error | null, addresses: LookupAddress[]) => void): void => {
    const addresses = names[hostname]
    setImmediate(() => (addresses ? callback(null, addresses) : callback(new Error('no such name'), [])))
  }
}

async function listenTls(): Promise<tls.Server> {
  const secure = tls.createServer({ key: testKey, cert: testCertificate }).listen(0, '127.0.0.1')
  await once(secure, 'listening')
  const address = secure.address()
  port = String(typeof address === 'object' ? address?.port : '')
  return secure
}

function dial(
  connector: buildConnector.connector,
  hostname: string,
  protocol = 'http:',
): Promise<Error | 'connected'> {
  return new Promise((resolve) => {
    connector({ hostname, host: `${hostname}:${port}`, protocol, port }, (error, socket) => {
      socket?.destroy()
      resolve(error ?? 'connected')
    })
  })
}

test('a name that resolves to a private address is rejected', async () => {
  const connector = guardedConnector({
    allowPrivate: false,
    resolve: resolver({ 'api.example.com': [loopback] }),
  })
  for (const protocol of ['https:', 'http:']) {
    const refusal = await dial(connector, 'api.example.com', protocol)
    expect(refusal).toBeInstanceOf(OutboundRefused)
    expect(refusal).toMatchObject({ message: /refused to connect to api\.example\.com: .*private/ })
  }
  expect(connections).toBe(0)
})

test('if one address in the result of a look-up is private, the whole result is rejected', async () => {
  const mixed = [{ address: '93.184.216.34', family: 4 }, loopback]
  const connector = guardedConnector({
    allowPrivate: false,
    resolve: resolver({ a: mixed, b: mixed.toReversed(), c: [{ address: '::ffff:7f00:1', family: 6 }] }),
  })
  for (const name of ['a', 'b', 'c']) {
    expect(await dial(connector, name, 'https:')).toBeInstanceOf(OutboundRefused)
  }
  expect(connections).toBe(0)
})

test('a name is looked up and its addresses are checked for every connection', async () => {
  const names = { 'api.example.com': [loopback] }
  const connector = guardedConnector({ allowPrivate: true, resolve: resolver(names) })
  expect(await dial(connector, 'api.example.com')).toBe('connected')
  names['api.example.com'] = [{ address: '169.254.169.254', family: 4 }]
  expect(await dial(connector, 'api.example.com')).toBeInstanceOf(OutboundRefused)
})

test('literal IP addresses are also checked, although they are not looked up', async () => {
  const strict = guardedConnector({ allowPrivate: false, resolve: systemNames })
  expect(await dial(strict, '127.0.0.1', 'https:')).toBeInstanceOf(OutboundRefused)
  expect(await dial(strict, '::1', 'https:')).toBeInstanceOf(OutboundRefused)
  const open = guardedConnector({ allowPrivate: true, resolve: systemNames })
  expect(await dial(open, '127.0.0.1')).toBe('connected')
  expect(await dial(open, '169.254.169.254')).toBeInstanceOf(OutboundRefused)
  expect(await dial(open, '::ffff:127.0.0.1')).toBeInstanceOf(OutboundRefused)
})

test('http without TLS is allowed only within the private network', async () => {
  const connector = guardedConnector({
    allowPrivate: true,
    resolve: resolver({ public: [{ address: '93.184.216.34', family: 4 }], private: [loopback] }),
  })
  expect(await dial(connector, 'public')).toMatchObject({ message: /plain http/ })
  expect(await dial(connector, 'private')).toBe('connected')
})

test('a name without addresses, or a failed look-up, counts as a connection failure and not as a forbidden address', async () => {
  const connector = guardedConnector({ allowPrivate: true, resolve: resolver({ empty: [] }) })
  expect(await dial(connector, 'empty')).toMatchObject({ message: 'look up empty: no addresses' })
  expect(await dial(connector, 'missing')).toMatchObject({ message: 'no such name' })
})

test('an address that the name resolver returns for localhost is checked like any other address', async () => {
  expect(
    await dial(guardedConnector({ allowPrivate: false, resolve: systemNames }), 'localhost', 'https:'),
  ).toBeInstanceOf(OutboundRefused)
  expect(await dial(guardedConnector({ allowPrivate: true, resolve: systemNames }), 'localhost')).toBe(
    'connected',
  )
})

test('after connecting, the peer address of the socket is checked again', async () => {
  const secure = await listenTls()
  const authorities = tls.getCACertificates('default')
  let reads = 0
  const shifty = {
    family: 4,
    get address() {
      return reads++ === 0 ? '93.184.216.34' : '127.0.0.1'
    },
  }
  tls.setDefaultCACertificates([testCertificate])
  try {
    const names = { 'api.example.com': [shifty] }
    const strict = guardedConnector({ allowPrivate: false, resolve: resolver(names) })
    const accepted = once(secure, 'connection')
    expect(await dial(strict, 'api.example.com', 'https:')).toBeInstanceOf(OutboundRefused)
    await accepted
  } finally {
    tls.setDefaultCACertificates(authorities)
    secure.close()
  }
})

test('a certificate of an unknown issuer is rejected, even if the process disables certificate checks', async () => {
  const secure = await listenTls()
  const names = { 'api.example.com': [loopback], 'other.example.com': [loopback] }
  const connector = guardedConnector({ allowPrivate: true, resolve: resolver(names) })
  const authorities = tls.getCACertificates('default')
  const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  try {
    expect(await dial(connector, 'api.example.com', 'https:')).toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    })
    tls.setDefaultCACertificates([testCertificate])
    expect(await dial(connector, 'api.example.com', 'https:')).toBe('connected')
    expect(await dial(connector, 'other.example.com', 'https:')).toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
  } finally {
    tls.setDefaultCACertificates(authorities)
    if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before
    secure.close()
  }
})

test('a paused response over TLS loses nothing, and the next request uses the same connection', async () => {
  const secure = await listenTls()
  const size = 2_000_000
  let connected = 0
  secure.on('secureConnection', (socket) => {
    connected++
    socket.on('error', () => {})
    socket.on('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`)
      socket.write('x'.repeat(size))
    })
  })
  const connect = guardedConnector({
    allowPrivate: true,
    onread: directReads,
    resolve: resolver({ 'api.example.com': [loopback] }),
  })
  const authorities = tls.getCACertificates('default')
  tls.setDefaultCACertificates([testCertificate])
  const client = new ProviderClient(`https://api.example.com:${port}`, { connect })
  try {
    for (const pauseEvery of [1, 7]) {
      const { promise, reject, resolve } = Promise.withResolvers<number>()
      let bytes = 0
      let pieces = 0
      client.dispatch(
        { method: 'GET', path: '/' },
        {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData(flow, piece) {
            bytes += piece.length
            if (++pieces % pauseEvery !== 0) return
            flow.pause()
            setImmediate(() => flow.resume())
          },
          onResponseEnd: () => resolve(bytes),
          onResponseError: (_, error) => reject(error),
        },
      )
      expect(await promise).toBe(size)
    }
    expect(connected).toBe(1)
  } finally {
    client.destroy()
    tls.setDefaultCACertificates(authorities)
    secure.close()
  }
})

/** A self-signed certificate for api.example.com, valid until 2126. */
const testKey = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'EC',
    crv: 'P-256',
    x: '39F4znV7Sevb7LeMBTGZ36xLUPZvYMhy3rBfT0O5iC8',
    y: 'ytoQ7-pU1-WmH63tSVZpPlDs8yhthupuhf621nnFnW0',
    d: 'ihFKwtvooOsgKv1G8irOQdsa2qR8Y0RoEx8n_nitgGw',
  },
}).export({ type: 'pkcs8', format: 'pem' })

const testCertificate = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBqDCCAU2gAwIBAgIUJk5Ocs7n51oo0+QBcFjkXX4QrAgwCgYIKoZIzj0EAwIwGjEYMBYGA1UE',
  'AwwPYXBpLmV4YW1wbGUuY29tMCAXDTI2MTEyMDIzMDc1OVoYDzIxMjYxMDI3MjMwNzU5WjAaMRgw',
  'FgYDVQQDDA9hcGkuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATf0XjOdXtJ',
  '69vst4wFMZnfrEtQ9m9gyHLesF9PQ7mIL8raEO/qVNflph+t7UlWaT5Q7PMobYbqboX+ttZ5xZ1t',
  'o28wbTAdBgNVHQ4EFgQUHu10W9/lO5AJzUJWRSVXPO4N4PowHwYDVR0jBBgwFoAUHu10W9/lO5AJ',
  'zUJWRSVXPO4N4PowDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgg9hcGkuZXhhbXBsZS5jb20w',
  'CgYIKoZIzj0EAwIDSQAwRgIhAM5RQLMqwPvHvHniFeeft+RjMd6n0RcszdUx64G/P/97AiEAiPEX',
  '0yfEiWqfaUBVFtOW6JV4OuG3BLc+WYudV/qSj08=',
  '-----END CERTIFICATE-----',
].join('\n')
