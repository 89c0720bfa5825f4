/**
 * Defines cases in which a tenant uses as much as it can of each resource in docs/reference/shared-resources.md. Each
 * case continues until the test stops it, and counts its responses.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Application, User } from './start-product.ts'
import { askAt, postAt } from './send-post-to-process-port.ts'
import { wrongKeyLike } from './make-wrong-key.ts'

export interface Attacker {
  readonly baseUrl: string
  readonly port: number
  readonly token: string
  readonly app: Application
  /** An end user with money for any number of calls. */
  readonly user: User
  /** An end user with money for one call at a time. */
  readonly poor: User
  readonly portalSession: string
  readonly seeded: string
  readonly isEmbedded: boolean
}

/** The number of accounts and webhooks whose host names no DNS server resolves. */
export const silentZones = 16

export interface Worst {
  /** 0 if the connection broke or the client gave up. */
  readonly statuses: ReadonlyMap<number, number>
  stop(): Promise<void>
}

type Begin = (attacker: Attacker) => Worst

/** The client repeats a successful request immediately, and a rejected request after this pause. */
const refusedPauseMs = 10

function flood(
  lanes: number,
  request: (signal: AbortSignal, lane: number, turn: number) => Promise<number>,
): Worst {
  const statuses = new Map<number, number>()
  const over = new AbortController()
  const { signal } = over
  const run = async (lane: number): Promise<void> => {
    for (let turn = 0; !signal.aborted; turn++) {
      // oxlint-disable-next-line no-await-in-loop -- one request after the other
      const status = await request(signal, lane, turn).catch(() => 0)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // oxlint-disable-next-line no-await-in-loop -- as above
      if (status >= 400 || status === 0) await delay(refusedPauseMs)
    }
  }
  const running = Array.from({ length: lanes }, (_, lane) => run(lane))
  return {
    statuses,
    async stop() {
      over.abort()
      await Promise.all(running)
    },
  }
}

/**
 * Each socket sends some bytes, and then waits.
 * @param drip the data that each socket sends every second
 */
function sockets(port: number, count: number, first: string | Uint8Array, drip?: Uint8Array): Worst {
  const open = new Set<Socket>()
  const begin = (): void => {
    const socket = connect(port, '127.0.0.1')
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      if (open.delete(socket)) setTimeout(begin, 100).unref()
    })
    socket.pause()
    socket.write(first)
  }
  for (let i = 0; i < count; i++) begin()
  const timer = setInterval(() => {
    for (const socket of open) if (drip !== undefined) socket.write(drip)
  }, 1_000)
  return {
    statuses: new Map(),
    async stop() {
      clearInterval(timer)
      const all = [...open]
      open.clear()
      for (const socket of all) socket.destroy()
    },
  }
}

function both(one: Worst, other: Worst): Worst {
  return { statuses: one.statuses, stop: async () => void (await Promise.all([one.stop(), other.stop()])) }
}

interface Asking {
  readonly method?: string
  readonly body?: object
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

async function ask(
  { baseUrl, token: own }: Attacker,
  path: string,
  signal: AbortSignal,
  { body, headers, method = body ? 'POST' : 'GET', token = own }: Asking = {},
): Promise<number> {
  const response = await fetch(baseUrl + path, {
    method,
    signal,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body ? JSON.stringify(body) : null,
  })
  await response.text()
  return response.status
}

const largeForm = [
  '--piece\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nuser_data',
  `--piece\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${'text '.repeat(200_000)}`,
  '--piece--\r\n',
].join('\r\n')

/** The model cannot be used in batches, but the gateway only detects this after it has parsed the whole batch. */
function largeBatch({ app }: Attacker): string {
  const { model } = JSON.parse(app.bodyOf()) as { model: string }
  const messages = [{ role: 'user', content: 'text '.repeat(100) }]
  const params = { model, max_tokens: 10, messages }
  return JSON.stringify({
    requests: Array.from({ length: 1_500 }, (_, at) => ({ custom_id: `r${at}`, params })),
  })
}

function headersOf({ app }: Pick<Attacker, 'app'>, { key }: Pick<User, 'key'>): Record<string, string> {
  return { host: app.gatewayHost, authorization: `Bearer ${key}`, 'content-type': 'application/json' }
}

async function call(attacker: Attacker, user: User, body: object, signal: AbortSignal): Promise<number> {
  const { app, port } = attacker
  return (await postAt(port, app.bodyOf(body), headersOf(attacker, user), signal)).status
}

async function callWithWrongKey(
  { app, port, user }: Attacker,
  signal: AbortSignal,
  lane: number,
  turn: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const key = wrongKeyLike(user.key, lane * 1_000_000 + turn)
  const own = { ...headersOf({ app }, { key }), ...headers }
  return (await postAt(port, app.bodyOf({ max_tokens: 5 }), own, signal)).status
}

function headOf(method: string, path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')
}

const mib = 1024 * 1024
const prose = 'The quick brown fox jumps over the lazy dog, and the lazy dog sleeps on. '

/** Returns a public IP address in the form in which a trusted proxy reports it. */
const fromAnywhere = (lane: number, turn: number): Readonly<Record<string, string>> => ({
  'x-forwarded-for': `198.${18 + (lane % 2)}.${turn % 250}.${(lane * 7 + Math.floor(turn / 250)) % 250}`,
})

const guessedCode = (lane: number, turn: number): string => {
  const letters = 'BCDFGHJKLMNPQRSTVWXZ'
  const at = (n: number): string => letters[n % letters.length] ?? ''
  const code = Array.from({ length: 8 }, (_, i) =>
    at(Math.floor((lane * 7_919 + turn) / letters.length ** (i % 4))),
  )
  return `${code.slice(0, 4).join('')}-${code.slice(4).join('')}`
}

const appHeader = ({ app }: Attacker): Readonly<Record<string, string>> => ({ 'x-svc-app': app.slug })

export const worstCases: Readonly<Record<string, Begin>> = {
  'host names that no server resolves': (attacker) =>
    flood(2 * silentZones, (signal, lane) =>
      call(attacker, attacker.user, { model: `acme/zone-${lane % silentZones}`, max_tokens: 5 }, signal),
    ),
  'wrong keys at a gateway': (attacker) =>
    flood(64, (signal, lane, turn) => callWithWrongKey(attacker, signal, lane, turn)),
  'wrong keys at a gateway from many addresses': (attacker) =>
    flood(64, (signal, lane, turn) =>
      callWithWrongKey(attacker, signal, lane, turn, fromAnywhere(lane, turn)),
    ),
  'large bodies that arrive very slowly': (attacker) =>
    sockets(
      attacker.port,
      64,
      headOf('POST', '/v1/chat/completions', {
        ...headersOf(attacker, attacker.user),
        'content-length': String(32 * mib),
      }),
      Buffer.alloc(16 * 1024, 'a'),
    ),
  'large bodies': (attacker) =>
    flood(2, (signal) => call(attacker, attacker.user, { max_tokens: 5, user: 'a'.repeat(mib) }, signal)),
  'half-sent bodies of unknown callers': ({ port }) =>
    sockets(
      port,
      300,
      `${headOf('POST', '/v1/portal-sessions/redeem', {
        host: `127.0.0.1:${port}`,
        'content-type': 'application/json',
        'content-length': '4096',
      })}${'x'.repeat(1000)}`,
    ),
  'half-sent bodies with a token': ({ port, token }) =>
    sockets(
      port,
      64,
      `${headOf('POST', '/v1/grants', {
        host: `127.0.0.1:${port}`,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': String(mib),
      })}${'{'.repeat(64 * 1024)}`,
    ),
  'an account that resolves to this server': (attacker) =>
    flood(16, (signal) => call(attacker, attacker.user, { model: 'acme/loop', max_tokens: 5 }, signal)),
  'reports of a token': (attacker) =>
    flood(40, (signal) =>
      ask(attacker, '/v1/margin?by=endUser', signal, { headers: { 'x-svc-app': attacker.seeded } }),
    ),
  'a ledger in a portal': (attacker) =>
    flood(40, (signal) =>
      ask(attacker, '/v1/portal/ledger?limit=200', signal, { token: attacker.portalSession }),
    ),
  'exports that no one reads': (attacker) =>
    sockets(
      attacker.port,
      40,
      headOf('GET', '/v1/usage/export', {
        host: `127.0.0.1:${attacker.port}`,
        authorization: `Bearer ${attacker.token}`,
        'x-svc-app': attacker.seeded,
      }),
    ),
  'wrong credentials': (attacker) =>
    flood(16, (signal) => ask(attacker, '/v1/whoami', signal, { token: `${attacker.token.slice(0, -2)}00` })),
  'wrong credentials from many addresses': (attacker) =>
    flood(16, (signal, lane, turn) =>
      ask(attacker, '/v1/whoami', signal, {
        token: `${attacker.token.slice(0, -2)}00`,
        headers: fromAnywhere(lane, turn),
      }),
    ),
  'public requests': (attacker) =>
    flood(16, (signal) => ask(attacker, '/v1/sessions/options', signal, { token: null })),
  'writes, one transaction each': (attacker) =>
    flood(16, (signal, lane, turn) =>
      ask(attacker, `/v1/end-users/person-${lane}-${turn}`, signal, {
        method: 'PUT',
        body: {},
        headers: appHeader(attacker),
      }),
    ),
  'passwords from many addresses': (attacker) =>
    flood(32, (signal, lane, turn) =>
      ask(attacker, '/v1/sessions', signal, {
        token: null,
        body: { email: `nobody-${lane}-${turn}@example.com`, password: 'not the right password' },
        headers: fromAnywhere(lane, turn),
      }),
    ),
  'device sign-ins from many addresses': (attacker) =>
    flood(8, (signal, lane, turn) =>
      ask(attacker, '/v1/device-auth', signal, { token: null, body: {}, headers: fromAnywhere(lane, turn) }),
    ),
  'codes of device sign-ins, guessed': (attacker) =>
    flood(8, (signal, lane, turn) =>
      ask(attacker, `/v1/device-auth?userCode=${guessedCode(lane, turn)}`, signal, {
        headers: fromAnywhere(lane, turn),
      }),
    ),
  'probes of a provider that does not respond': (attacker) =>
    flood(8, (signal, lane, turn) =>
      ask(attacker, '/v1/providers/zone-1/probe', signal, {
        body: {},
        headers: { ...appHeader(attacker), ...fromAnywhere(lane, turn) },
      }),
    ),
  'readers of calls that end': (attacker) =>
    both(
      flood(4, (signal) => call(attacker, attacker.user, { max_tokens: 5 }, signal)),
      sockets(
        attacker.port,
        200,
        headOf('GET', '/v1/requests/tail', {
          host: `127.0.0.1:${attacker.port}`,
          authorization: `Bearer ${attacker.token}`,
          'x-svc-app': attacker.app.slug,
        }),
      ),
    ),
  'calls that wait for held money': (attacker) =>
    flood(40, (signal) => call(attacker, attacker.poor, { max_tokens: 100 }, signal)),
  'texts to be counted': (attacker) =>
    flood(8, (signal) =>
      call(
        attacker,
        attacker.poor,
        { max_tokens: 5, messages: [{ role: 'user', content: prose.repeat(2_000) }] },
        signal,
      ),
    ),
  'clients that leave': (attacker) =>
    flood(32, async (signal) => {
      const left = AbortSignal.any([signal, AbortSignal.timeout(15)])
      return call(attacker, attacker.user, { stream: true, max_tokens: 500 }, left)
    }),
  'a provider that does not respond': (attacker) =>
    flood(300, (signal) => call(attacker, attacker.user, { model: 'acme/mute', max_tokens: 5 }, signal)),
  'responses that no one reads': (attacker) => {
    const body = attacker.app.bodyOf({ model: 'acme/endless', stream: true, max_tokens: 100_000 })
    const headers = { ...headersOf(attacker, attacker.user), 'content-length': String(body.length) }
    return sockets(attacker.port, 32, `${headOf('POST', '/v1/chat/completions', headers)}${body}`)
  },
  'webhooks that no server answers': (attacker) =>
    flood(8, (signal) => call(attacker, attacker.user, { max_tokens: 5 }, signal)),
  'calls without a pause': (attacker) =>
    flood(64, (signal) => call(attacker, attacker.user, { max_tokens: 5 }, signal)),
  'models that do not exist': (attacker) =>
    flood(8, (signal, lane, turn) =>
      call(attacker, attacker.user, { model: `acme/none-${lane}-${turn}`, max_tokens: 5 }, signal),
    ),
  'uploads and lists of files': (attacker) =>
    flood(16, async (signal, _, turn) => {
      const headers = {
        ...headersOf(attacker, attacker.user),
        'content-type': 'multipart/form-data; boundary=piece',
      }
      const sent =
        turn % 2 === 0 ? ({ method: 'POST', body: largeForm } as const) : ({ method: 'GET' } as const)
      return (await askAt(attacker.port, { ...sent, path: '/v1/files', headers, signal })).status
    }),
  'batches of many requests': (attacker) =>
    flood(8, async (signal) => {
      const sent = { method: 'POST', path: '/v1/messages/batches', body: largeBatch(attacker) } as const
      return (await askAt(attacker.port, { ...sent, headers: headersOf(attacker, attacker.user), signal }))
        .status
    }),
  'idle connections': ({ port }) => sockets(port, 500, 'POST /v1/chat/completions HTTP/1.1\r\n'),
  'the demo tier': (attacker) =>
    flood(8, (signal) =>
      ask(attacker, '/v1/capabilities', signal, { token: null, headers: { 'x-demo-tenant': 'acme' } }),
    ),
}

/**
 * All cases, at least one for each resource of docs/reference/shared-resources.md. For some limits, another test also
 * counts the requests that the limit admits. A count is more precise than the delay of another tenant.
 */
export const casesOfResource: Readonly<Record<string, readonly string[]>> = {
  'Event loop': ['large bodies', 'calls without a pause', 'reports of a token'],
  'Requests in flight at gateways': ['calls without a pause', 'a provider that does not respond'],
  // tests/long/overload-at-fixed-rate.test.ts fills the queue of waiting requests.
  'Requests that wait to start': ['calls without a pause'],
  'Wrong keys at gateways': ['wrong keys at a gateway', 'wrong keys at a gateway from many addresses'],
  'Memory for request bodies': ['large bodies', 'large bodies that arrive very slowly'],
  'Time for a body': ['large bodies that arrive very slowly', 'half-sent bodies of unknown callers'],
  'Requests that wait for held money': ['calls that wait for held money'],
  // src/store/ledger/ledger-queue.test.ts fills more than one batch of the ledger.
  'Ledger queue': ['calls without a pause'],
  'Token counter': ['texts to be counted'],
  'Provider streams that are read after the client disconnects': ['clients that leave'],
  'Files that providers store': ['uploads and lists of files'],
  // tests/end-to-end/anthropic-batches.test.ts reaches the limits of batches.
  'Requests in batches': ['batches of many requests'],
  'Memory for responses': ['responses that no one reads'],
  Requests: ['reports of a token', 'writes, one transaction each'],
  'Wrong credentials': ['wrong credentials', 'wrong credentials from many addresses'],
  'Public requests': ['public requests'],
  'Request bodies': ['half-sent bodies of unknown callers', 'half-sent bodies with a token'],
  'Database reads (threads and connections)': ['reports of a token', 'a ledger in a portal'],
  'Database transactions of the control plane': ['writes, one transaction each'],
  'Password attempts and hashes (scrypt)': ['passwords from many addresses'],
  'Codes of device sign-ins': ['codes of device sign-ins, guessed'],
  'Starts of device sign-ins': ['device sign-ins from many addresses'],
  'Provider probes': ['probes of a provider that does not respond'],
  'Readers of `requests.tail`': ['readers of calls that end'],
  'Streamed responses (`usage.export`)': ['exports that no one reads'],
  'Demo tier': ['the demo tier'],
  'DNS lookups': ['host names that no server resolves'],
  'Sockets to providers': ['a provider that does not respond'],
  'Requests to the server itself': ['an account that resolves to this server'],
  'Queues of emitters': ['webhooks that no server answers'],
  'File descriptors': ['idle connections'],
  'Log lines': ['models that do not exist', 'wrong credentials'],
  'Labels of metrics': ['models that do not exist'],
  'Memory for rate limits': ['wrong credentials from many addresses', 'passwords from many addresses'],
}
