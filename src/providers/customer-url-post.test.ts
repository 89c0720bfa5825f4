import { once } from 'node:events'
import type { LookupAddress } from 'node:dns'
import * as net from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  receiverConnector,
  startUsageReceiver,
  type UsageReceiver,
} from '#tests/support/receiver-of-usage-events.ts'
import { CustomerUrlPost, type CustomerUrlPostOptions, type PostAnswer } from './customer-url-post.ts'
import type { Resolve } from './name-resolver.ts'

const sending = { loopName: 'tollgate-test', isOwnPeer: () => false }

let receiver: UsageReceiver
const attempts: string[] = []
// oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
const connect = net.Socket.prototype.connect

beforeAll(async () => {
  receiver = await startUsageReceiver()
  net.Socket.prototype.connect = function (this: net.Socket, ...given: never[]) {
    this.on('connectionAttempt', (address: string) => attempts.push(address))
    return Reflect.apply(connect, this, given)
  }
})
afterAll(async () => {
  net.Socket.prototype.connect = connect
  await receiver.close()
})

let posts: CustomerUrlPost
beforeEach(() => {
  attempts.length = 0
  receiver.answer = (_, response) => void response.writeHead(200).end('ok')
  posts = new CustomerUrlPost({
    ...sending,
    resolve: names({}),
    connector: receiverConnector(receiver.port),
    isUnchecked: true,
  })
})
afterEach(() => posts.close())

const never = new AbortController().signal

function send(url = 'https://hooks.receiver.test/', timeoutMs = 5_000, by = posts): Promise<PostAnswer> {
  return by.send({ url, headers: { 'x-test': '1' }, body: '{}', timeoutMs, signal: never })
}

test('a response is returned with its status and the beginning of its body', async () => {
  expect(await send()).toEqual({ kind: 'answered', status: 200, text: 'ok' })
  // Check that every connection is recorded, because the following test of internal addresses relies on this record.
  expect(attempts).toEqual(['127.0.0.1'])
})

test('the connection is kept for the next POST', async () => {
  const before = receiver.connections
  for (let i = 0; i < 5; i++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await send()
  }
  expect(receiver.connections - before).toBe(1)
})

test.each([301, 302, 303, 307, 308])(
  'a redirect (%d) is returned as a response and is not followed',
  async (status) => {
    receiver.answer = (_, response) =>
      void response.writeHead(status, { location: 'https://10.0.0.1/' }).end()
    expect(await send()).toMatchObject({ kind: 'answered', status })
    expect(attempts).toEqual(['127.0.0.1'])
  },
)

test('a POST to a receiver that never responds ends at the timeout', async () => {
  receiver.answer = () => {}
  expect(await send(undefined, 200)).toEqual({ kind: 'failed', reason: 'no response within 0.2 s' })
})

test('if a receiver sends its body too slowly, the status is returned and the rest of the body is dropped', async () => {
  receiver.answer = (_, response) => {
    response.writeHead(202)
    const timer = setInterval(() => response.write('x'), 20)
    response.on('close', () => clearInterval(timer))
  }
  expect(await send(undefined, 300)).toMatchObject({ kind: 'answered', status: 202 })
})

test('a connection that the receiver resets counts as no response', async () => {
  receiver.answer = (_, response) => void response.destroy()
  expect(await send()).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(/^the connection failed/),
  })
})

test('only the first 64 KiB of a 100 MB response are read', async () => {
  let written = 0
  receiver.answer = (_, response) => {
    response.writeHead(200)
    const piece = Buffer.alloc(65_536, 120)
    const more = (): void => {
      while (written < 100 * 1024 * 1024) {
        written += piece.length
        if (!response.write(piece)) return void response.once('drain', more)
      }
      response.end()
    }
    response.on('error', () => {})
    more()
  }
  const answer = await send()
  expect(answer).toMatchObject({ kind: 'answered', status: 200 })
  expect(answer.kind === 'answered' && answer.text.length).toBe(65_536)
  expect(written).toBeLessThan(16 * 1024 * 1024)
})

test('a connection with a certificate of an unknown issuer fails', async () => {
  const lone = new CustomerUrlPost({
    ...sending,
    resolve: names({}),
    connector: receiverConnector(receiver.port, []),
  })
  expect(await send(undefined, 5_000, lone)).toMatchObject({ kind: 'failed' })
})

/** For each name, the last result is returned for all further look-ups. */
function names(answers: Readonly<Record<string, readonly (readonly string[])[]>>): Resolve {
  const asked = new Map<string, number>()
  return (hostname, callback) => {
    const all = answers[hostname] ?? []
    const at = asked.get(hostname) ?? 0
    asked.set(hostname, at + 1)
    const addresses = (all[at] ?? all.at(-1) ?? []).map((address) => ({ address, family: net.isIP(address) }))
    setImmediate(() => callback(null, addresses satisfies LookupAddress[]))
  }
}

/** Connects to the receiver but reports a public peer address. */
function asIfAt(address: string): NonNullable<CustomerUrlPostOptions['connector']> {
  const connector = receiverConnector(receiver.port)
  return (options, callback) =>
    connector(options, (...[error, socket]) => {
      if (error) return callback(error, null)
      Object.defineProperty(socket, 'remoteAddress', { value: address })
      callback(null, socket)
    })
}

test('a kept connection is used only while the name still resolves to its address', async () => {
  // The connector of this test does not resolve names, so only the second POST looks up the name.
  const resolve = names({
    'hooks.receiver.test': [['8.8.8.8', '93.184.215.14'], ['8.8.8.8'], ['10.0.0.1']],
  })
  const moving = new CustomerUrlPost({ ...sending, resolve, connector: asIfAt('93.184.215.14') })
  const before = receiver.connections
  const seen = receiver.received.length
  await send(undefined, 5_000, moving)
  await send(undefined, 5_000, moving)
  expect(receiver.connections - before).toBe(1)
  await send(undefined, 5_000, moving)
  expect(receiver.connections - before).toBe(2)
  expect(await send(undefined, 5_000, moving)).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('private network'),
  })
  expect(receiver.received.length - seen).toBe(3)
  moving.close()
})

test('all of 2,000 spellings of internal addresses are rejected as a configuration error, and no connection is opened', async () => {
  const corpus = [...urls(), ...rebinding()]
  expect(corpus.length).toBeGreaterThanOrEqual(2_000)
  // If the check accepted a spelling of the loopback address, the request would connect to this server.
  const open = net.createServer((socket) => socket.destroy())
  open.on('error', () => {})
  open.listen(8443, '127.0.0.1')
  await Promise.race([once(open, 'listening'), once(open, 'error')])
  const wrong: string[] = []
  for (const { answers, url } of corpus) {
    const hostname = URL.parse(url)?.hostname ?? ''
    const own = new CustomerUrlPost({ ...sending, resolve: names({ [hostname]: answers }) })
    // oxlint-disable-next-line no-await-in-loop -- each is checked alone
    const answer = await send(url, 2_000, own)
    if (answer.kind !== 'refused') wrong.push(`${url} ${JSON.stringify(answer)}`)
    own.close()
  }
  expect(wrong).toEqual([])
  expect(attempts).toEqual([])
  open.close()
})

interface Spelling {
  readonly url: string
  readonly answers: readonly (readonly string[])[]
}

const inside4 = [
  '127.0.0.1',
  '127.255.255.254',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.255.255',
  '169.254.169.254',
  '169.254.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '0.0.0.0',
  '0.1.2.3',
  '192.0.0.192',
  '198.18.0.1',
  '203.0.113.7',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
]

function* urls(): Generator<Spelling> {
  const hosts = new Set<string>()
  for (const address of inside4) {
    for (const host of spellings4(address)) hosts.add(host)
    for (const host of spellings6(address)) hosts.add(host)
  }
  for (const host of inside6) for (const form of formsOf6(host)) hosts.add(`[${form}]`)
  for (const name of insideNames) {
    for (const form of [name, name.toUpperCase(), `${name}.`, `a.${name}`, `%6c${name}`]) hosts.add(form)
  }
  for (const host of hosts) {
    for (const url of [`https://${host}/`, `https://${host}:8443/hook?a=b`])
      yield { url, answers: [['127.0.0.1']] }
  }
  for (const host of ['127.0.0.1', '10.0.0.1', '[::1]', 'localhost']) {
    for (const tail of [
      '\\@example.com/',
      '#@example.com/',
      '?@example.com/',
      '\t/',
      ':22/',
      ':80/',
      ':65535/',
    ]) {
      yield { url: `https://${host}${tail}`, answers: [['127.0.0.1']] }
    }
    for (const head of [
      'http://',
      'HTTP://',
      'ftp://',
      'https://example.com@',
      'https://a:b@',
      '//',
      'gopher://',
    ]) {
      yield { url: `${head}${host}/`, answers: [['127.0.0.1']] }
    }
  }
}

const insideNames = [
  'localhost',
  'db.localhost',
  'metadata.google.internal',
  'printer.local',
  'router.lan',
  'single',
  'x.corp',
  'x.home',
  '1.0.0.127.in-addr.arpa',
]

function* spellings4(address: string): Generator<string> {
  const parts = address.split('.').map(Number)
  const [a = 0, b = 0, c = 0, d = 0] = parts
  const number = ((a * 256 + b) * 256 + c) * 256 + d
  const octal = (n: number, width = 0): string => `0${n.toString(8).padStart(width, '0')}`
  const hex = (n: number, width = 0): string => `0x${n.toString(16).padStart(width, '0')}`
  yield address
  yield String(number)
  yield hex(number)
  yield hex(number).toUpperCase().replace('0X', '0x')
  yield octal(number)
  yield parts.map((n) => octal(n)).join('.')
  yield parts.map((n) => octal(n, 8)).join('.')
  yield parts.map((n) => hex(n)).join('.')
  yield parts.map((n) => hex(n, 8)).join('.')
  yield `${a}.${(b * 256 + c) * 256 + d}`
  yield `${a}.${b}.${c * 256 + d}`
  yield `${hex(a)}.${octal(b)}.${c * 256 + d}`
  yield `${octal(a)}.${hex((b * 256 + c) * 256 + d)}`
  yield parts.map((n, i) => (i % 2 === 0 ? hex(n) : octal(n))).join('.')
  yield `${address}.`
  yield address.replaceAll('.', '。')
  yield address.replaceAll('.', '．')
  yield address.replaceAll('.', '%2e')
  yield address.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
}

function* spellings6(address: string): Generator<string> {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  const high = (a * 256 + b).toString(16)
  const low = (c * 256 + d).toString(16)
  for (const prefix of ['::ffff:', '::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::']) {
    yield `[${prefix}${address}]`
    yield `[${prefix}${high}:${low}]`
    yield `[${prefix}${high}:${low}]`.toUpperCase()
  }
  yield `[0:0:0:0:0:ffff:${address}]`
  yield `[0000:0000:0000:0000:0000:ffff:${high.padStart(4, '0')}:${low.padStart(4, '0')}]`
  yield `[2002:${high}:${low}::]`
  yield `[2002:${high}:${low}::1]`
  yield `[2001:0:4136:e378:8000:63bf:${high}:${low}]`
}

const inside6 = [
  '::1',
  '::',
  'fc00::1',
  'fd12:3456:789a::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  '2001:db8::1',
  '100::1',
  '2001:20::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
]

function* formsOf6(address: string): Generator<string> {
  yield address
  yield address.toUpperCase()
  const [head = '', tail = ''] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const groups = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right]
  yield groups.join(':')
  yield groups.map((group) => group.padStart(4, '0')).join(':')
}

/**
 * Public names that resolve to an internal address, alone or among other addresses, on the first or the second look-up.
 */
function* rebinding(): Generator<Spelling> {
  const targets = [...inside4, ...inside6, '::ffff:127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::']
  for (const [i, inside] of targets.entries()) {
    for (const [j, answer] of [
      [inside],
      ['8.8.8.8', inside],
      [inside, '8.8.8.8'],
      ['2606:4700::1', inside],
    ].entries()) {
      yield { url: `https://r${i}-${j}.rebind.example.com/`, answers: [answer, ['8.8.8.8']] }
    }
  }
}
