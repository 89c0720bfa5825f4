/**
 * Opens 2,000 streams to one process. STREAMS sets another number of streams. Requirements of this test:
 *
 * - Case 1: clients that read nothing. The server's memory grows by at most 320 KiB for each client. Requests of other
 *   clients and `/health` succeed at the same time. The server disconnects unread clients after a minute. After the
 *   disconnects, nothing is held, and every request is charged once.
 * - Case 2: SIGTERM. Each stream ends completely and is charged once, and the process exits with 0. After SIGTERM, the
 *   server refuses new connections immediately.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { costMicros } from '../support/expected-costs.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { startFakeProvider, type FakeProvider } from '../support/fake-provider.ts'
import {
  connectAccount,
  control,
  eventually,
  makeApplication,
  settledBalance,
  spawnServer,
  upstreamKey,
  verifies,
  type User,
} from '../support/start-product.ts'
import { listenLocally } from '../support/listen-on-loopback.ts'
import { residentBytesOf } from '../support/process-measurements.ts'
import { sizeOf } from '../support/start-several-processes.ts'
import { openStream, openStreams } from '../support/open-many-streams.ts'

const streams = sizeOf('STREAMS', 2_000)
/**
 * A stream that the client reads needs 64 KiB (bench/README.md). For an unread stream, the server also stores 128 KiB
 * of text that waits to be sent.
 */
const bytesOfClientMax = 320 * 1024
const people = 20
const credit = 1_000_000_000_000n
const usage = { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 }
const pieces = [' one', ' two', ' three', ' four']

let folder: string
let provider: FakeProvider
beforeEach(async () => {
  folder = newDataFolder('streams')
  provider = await startFakeProvider({ chunks: pieces, usage })
})
afterEach(async () => {
  await provider.close()
  rmSync(folder, { recursive: true, force: true })
})

async function balances(users: readonly User[]): Promise<bigint> {
  let sum = 0n
  for (const user of users) {
    // oxlint-disable-next-line no-await-in-loop -- the store reads one after the other anyway
    sum += await settledBalance(user)
  }
  return sum
}

/** Sends 128 KiB of each response, which is more than the client's system buffers, and then waits. */
async function startUnreadProvider() {
  const content = 'word '.repeat(1_600)
  const frame = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
  let began = 0
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      began += 1
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(frame.repeat(16))
    })
  })
  const { close, port } = await listenLocally(server)
  return { baseUrl: `http://127.0.0.1:${port}/v1`, close, began: () => began }
}

const clientProgram = fileURLToPath(new URL('../support/silent-clients.py', import.meta.url))
const hasPython = spawnSync('python3', ['--version']).status === 0
if (!hasPython) console.warn('there is no Python: the test of clients that read nothing is skipped')

test.runIf(hasPython)(
  `${streams} clients that read nothing use little memory, and are disconnected and charged`,
  async () => {
    const unread = await startUnreadProvider()
    const server = await spawnServer(folder)
    onTestFinished(() => void server.child.kill('SIGKILL'))
    const pid = server.child.pid ?? 0
    const app = await makeApplication(server, { provider })
    await connectAccount(app, 'unread', {
      kind: 'openai_compatible',
      baseUrl: unread.baseUrl,
      apiKey: upstreamKey,
      model: 'up',
      price: { input: '1000000', output: '1000000' },
    })
    const user = await app.newUser({ balanceMicros: credit })
    expect((await app.call(user)).status).toBe(200)
    const before = residentBytesOf(pid)

    const body = app.bodyOf({ model: 'acme/unread', stream: true, max_tokens: 100_000 })
    const request = join(folder, 'request')
    writeFileSync(
      request,
      `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${app.gatewayPort}\r\n` +
        `authorization: Bearer ${user.key}\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    const clients = spawn('python3', [clientProgram, String(app.gatewayPort), String(streams), request], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    expect(String(await once(clients.stdout, 'data'))).toContain('sent')
    await eventually(async () => expect(unread.began()).toBe(streams))
    const openMs = performance.now()
    const grown = residentBytesOf(pid) - before
    console.log(
      `${streams} clients that read nothing: ${(grown / streams / 1024).toFixed(1)} KiB of memory for each`,
    )
    const health = await control(server, 'GET', '/health')
    const other = await Promise.all(Array.from({ length: 50 }, () => app.call(user)))
    expect([health.status, ...new Set(other.map(({ status }) => status))]).toEqual([200, 200])

    await eventually(async () => {
      const { text } = await control(server, 'GET', '/metrics')
      expect(text).toContain('\ntollgate_calls_in_flight 0\n')
    }, 300_000)
    const seconds = ((performance.now() - openMs) / 1000).toFixed(0)
    const more = ((residentBytesOf(pid) - before) / 1e6).toFixed(0)
    console.log(`all were disconnected after ${seconds} s; ${more} MB more at the end`)
    clients.stdin.end()
    await once(clients, 'exit')
    const { totals } = await app.api('GET', '/v1/usage')
    expect(totals.calls).toBe(streams + other.length + 1)
    expect(await settledBalance(user)).toBe(credit - BigInt(totals.billedMicros))
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    await verifies(folder)
    await unread.close()
    expect(grown / streams).toBeLessThan(bytesOfClientMax)
  },
)

test(`${streams} streams end completely after SIGTERM, and the process exits with 0`, async () => {
  const server = await spawnServer(folder, { environment: { TOLLGATE_DRAIN_SECONDS: '300' } })
  onTestFinished(() => void server.child.kill('SIGKILL'))
  const app = await makeApplication(server, { provider })
  const users = await Promise.all(
    Array.from({ length: people }, () => app.newUser({ balanceMicros: credit })),
  )
  const userAt = (n: number): User => users[n % people] ?? expect.fail('there are end users')
  provider.script({ chunks: pieces, usage, hang: 'mid' })
  const clients = await openStreams(
    streams,
    (n) => openStream(app, userAt(n), { isRead: true }),
    ({ received }) => eventually(async () => expect(received()).toContain(pieces[0])),
  )
  server.child.kill('SIGTERM')
  await eventually(() => expect(fetch(`${server.baseUrl}/health`)).rejects.toThrow('fetch failed'))
  const stoppedMs = performance.now()
  provider.release()
  await Promise.all(clients.map(({ closed }) => closed))
  expect(await server.ended).toBe(0)
  console.log(`${streams} streams ended in ${((performance.now() - stoppedMs) / 1000).toFixed(1)} s`)
  const incomplete = clients.filter(({ received }) => {
    const text = received()
    return !text.includes(pieces.at(-1) ?? '') || !text.includes('[DONE]') || !text.endsWith('0\r\n\r\n')
  })
  expect(incomplete.map(({ received }) => received())).toEqual([])
  expect(provider.calls).toHaveLength(streams)
  await verifies(folder)

  const again = await spawnServer(folder, { token: server.token })
  onTestFinished(() => void again.child.kill('SIGKILL'))
  expect(again.stderr()).not.toContain('left open')
  const there = await app.again(again)
  const charge = costMicros(app.rates, { input: usage.prompt_tokens, output: usage.completion_tokens })
  const left = await balances(users.map((user) => there.person(user)))
  expect(left).toBe(BigInt(people) * credit - BigInt(streams) * charge)
  again.child.kill('SIGTERM')
  await again.ended
})
