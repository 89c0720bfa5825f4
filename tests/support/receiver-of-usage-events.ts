/**
 * A customer's endpoint for settled usage, written only from the published contract. The endpoint uses TLS on a real
 * socket, reads the raw bytes of bodies, and compares signatures in constant time.
 *
 * The host names of the endpoint are `<any>.receiver.test` and the vendors' own names. Every sender treats these names
 * as public hosts. `receiverConnector` connects the names to this process, because the product's own connector rejects
 * addresses on this machine.
 */
import { createHmac, createPrivateKey, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { buildConnector } from 'undici'
import { listenLocally } from './listen-on-loopback.ts'

export interface Received {
  readonly host: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** Null if the path has no secret. */
  readonly isSigned: boolean | null
}

export interface UsageReceiver {
  readonly port: number
  readonly received: readonly Received[]
  readonly connections: number
  /** By the path to which the webhook posts. */
  readonly secrets: Map<string, string>
  answer: (received: Received, response: ServerResponse) => void
  until(isSo: (received: readonly Received[]) => boolean): Promise<void>
  close(): Promise<void>
}

export async function startUsageReceiver(): Promise<UsageReceiver> {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  let connections = 0
  const server = createServer({ key, cert }, (request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces)
      const path = request.url ?? ''
      const secret = receiver.secrets.get(path)
      const one: Received = {
        host: request.headers.host ?? '',
        path,
        headers: request.headers,
        body: body.toString('utf8'),
        isSigned:
          secret === undefined ? null : isSigned(String(request.headers['svc-signature']), body, secret),
      }
      received.push(one)
      for (const look of waiting) look()
      receiver.answer(one, response)
    })
  })
  server.on('connection', () => (connections += 1))
  const { close, port } = await listenLocally(server)
  const receiver: UsageReceiver = {
    port,
    received,
    get connections() {
      return connections
    },
    secrets: new Map(),
    answer: (_, response) => void response.writeHead(200).end(),
    until: (isSo) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!isSo(received)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    close,
  }
  return receiver
}

/** Does not check the age of the signature. */
function isSigned(header: string, body: Buffer, secret: string): boolean {
  const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
  const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest()
  const given = Buffer.from(v1, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/**
 * Connects every name to the receiver. Clients trust only the certificate of this receiver, unless a test passes other
 * certificates.
 */
export function receiverConnector(port: number, ca: string | string[] = cert): buildConnector.connector {
  const connect = buildConnector({ ca, rejectUnauthorized: true, allowH2: false })
  return (options, callback) =>
    connect({ ...options, hostname: '127.0.0.1', port: String(port), servername: options.hostname }, callback)
}

interface ReceivedEvent {
  readonly idempotencyKey: string
  readonly requestId: string
  readonly tags?: readonly string[]
  readonly payerId?: string
}

export function eventsIn({ body }: Pick<Received, 'body'>): ReceivedEvent[] {
  const parsed: { events: ReceivedEvent[] } = JSON.parse(body)
  return parsed.events
}

// The certificate is valid for a hundred years. Only clients that are configured to trust it accept it.
const key = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'EC',
    crv: 'P-256',
    x: 'l9p3XglrJQ0xUr5UmCtbW2H47tgD5kbI4DYjMvORu2k',
    y: 'q5MqYU001JH36PYqY7wc0wo9T7syQWwNhtlhbcbFwvI',
    d: 'w9XYLV39kVOQk-LA_Gj-rSeLuueZHS9lOffMOoP_n3w',
  },
}).export({ type: 'pkcs8', format: 'pem' })

const cert = [
  '-----BEGIN CERTIFICATE-----',
  'MIICAzCCAamgAwIBAgIUZd0+4QGELB8+HcFlrhF/a6StVCwwCgYIKoZIzj0EAwIw',
  'GDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDAgFw0yNjExMjIxMTQzNDZaGA8yMTI2',
  'MTAyOTExNDM0NlowGDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDBZMBMGByqGSM49',
  'AgEGCCqGSM49AwEHA0IABJfad14JayUNMVK+VJgrW1th+O7YA+ZGyOA2IzLzkbtp',
  'q5MqYU001JH36PYqY7wc0wo9T7syQWwNhtlhbcbFwvKjgc4wgcswHQYDVR0OBBYE',
  'FN03OgLRm0cQDmaIZPegwBE72JTXMB8GA1UdIwQYMBaAFN03OgLRm0cQDmaIZPeg',
  'wBE72JTXMA8GA1UdEwEB/wQFMAMBAf8weAYDVR0RBHEwb4IPKi5yZWNlaXZlci50',
  'ZXN0ghFhcGkubWV0cm9ub21lLmNvbYIPYXBpLndpdGhvcmIuY29tgg5hcGkuc3Ry',
  'aXBlLmNvbYIXbWV0ZXItZXZlbnRzLnN0cmlwZS5jb22CD29wZW5tZXRlci5jbG91',
  'ZDAKBggqhkjOPQQDAgNIADBFAiB+Sh8m1pNGDNoQK0FqGQ380susVUQWFoYbu33Q',
  'fe4moQIhAPAKG+jPKPUdkom9DMtelwxo9BqCKS/YdlNtGxfeNrFK',
  '-----END CERTIFICATE-----',
  '',
].join('\n')
