/**
 * Sends requests while the store is slow. Requirements of each case:
 *
 * - All 300 requests on 50 connections get complete responses, and so does a stream that began earlier.
 * - `/health` responds while requests wait. The p99 of `/health` is less than 100 ms of processor time.
 * - At the end, every request is charged once, nothing is held, and the store adds up.
 *
 * In the first case, a proxy delays each statement to PostgreSQL by 200 ms. In the second case, each flush to the disk
 * takes 50 ms longer. The second case preloads a compiled library, and is skipped without a C compiler.
 * tests/end-to-end/full-disk.test.ts tests a full disk.
 */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { get } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { costMicros } from '../support/expected-costs.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { startFakeProvider, type FakeProvider } from '../support/fake-provider.ts'
import {
  eventually,
  makeApplication,
  settledBalance,
  spawnServer,
  textsOf,
  verifies,
  type Application,
  type SpawnedServer,
} from '../support/start-product.ts'
import { hasPostgres, newDatabase } from '../support/start-postgres.ts'
import { loopMsOf } from '../support/process-measurements.ts'
import { slowProxy } from '../support/proxy-with-delay.ts'

const requests = 300
const connections = 50
const people = 20
const credit = 1_000_000_000n
const usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 }
const pieces = Array.from({ length: 40 }, (_, n) => ` piece-${n}`)

let folder: string
let provider: FakeProvider
beforeEach(async () => {
  folder = newDataFolder('slow')
  provider = await startFakeProvider({ usage })
})
afterEach(async () => {
  await provider.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Slowness {
  readonly delayMs: number
  /** Called after the set-up of the application, and with 0 when all requests have ended. */
  readonly setDelay: (delayMs: number) => void
}

async function serveSlowly(server: SpawnedServer, { delayMs, setDelay }: Slowness): Promise<Application> {
  const app = await makeApplication(server, { provider })
  const users = await Promise.all(
    Array.from({ length: people }, () => app.newUser({ balanceMicros: credit })),
  )
  const userAt = (n: number) => users[n % people] ?? expect.fail('there are end users')
  provider.enqueue({ chunks: pieces, chunkDelayMs: 50, usage })
  const stream = app.call(userAt(0), { stream: true })
  await eventually(async () => expect(provider.calls).toHaveLength(1))
  setDelay(delayMs)
  const aloneMs = performance.now()
  expect((await app.call(userAt(0))).status).toBe(200)
  // The call waits for two writes: the hold and the settlement.
  expect(performance.now() - aloneMs).toBeGreaterThan(2 * delayMs)

  const startedMs = performance.now()
  let sent = 0
  const statuses: number[] = []
  const lane = async (): Promise<void> => {
    while (sent < requests) {
      // oxlint-disable-next-line no-await-in-loop -- one request after the other on each connection
      statuses.push((await app.call(userAt(sent++))).status)
    }
  }
  const load = Promise.all(Array.from({ length: connections }, lane))
  const healthMs: number[] = []
  const isOver = load.then(() => true)
  while (!(await Promise.race([isOver, delay(50, false)]))) healthMs.push(await healthLoopMs(server))
  await load
  const seconds = (performance.now() - startedMs) / 1000
  const sorted = healthMs.toSorted((one, other) => one - other)
  const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Infinity
  console.log(
    `${requests} requests in ${seconds.toFixed(1)} s; /health p99 ${p99.toFixed(1)} ms of the event loop in ${sorted.length} requests`,
  )
  expect(statuses).toEqual(Array.from({ length: requests }, () => 200))
  expect(p99).toBeLessThan(100)
  expect(textsOf((await stream).text)).toEqual(pieces)
  setDelay(0)

  const charge = costMicros(app.rates, { input: usage.prompt_tokens, output: usage.completion_tokens })
  let charged = 0n
  for (const user of users) {
    // oxlint-disable-next-line no-await-in-loop -- the store reads one after the other anyway
    charged += credit - (await settledBalance(user))
  }
  expect(charged).toBe(BigInt(requests + 2) * charge)
  return app
}

/** Processor time of the event loop from the request until the response. */
async function healthLoopMs({ child, port }: SpawnedServer): Promise<number> {
  const pid = child.pid ?? 0
  const beforeMs = loopMsOf(pid)
  const asked = get({ host: '127.0.0.1', port, path: '/health' })
  const [response] = await once(asked, 'response')
  expect(response.statusCode).toBe(200)
  response.resume()
  await once(response, 'end')
  return loopMsOf(pid) - beforeMs
}

test.runIf(hasPostgres)(
  'if PostgreSQL takes 200 ms longer for each statement, requests are delayed but not lost',
  async () => {
    const database = await newDatabase()
    const url = new URL(database.url)
    const proxy = await slowProxy(Number(url.port))
    url.port = String(proxy.port)
    const server = await spawnServer(folder, { environment: { DATABASE_URL: url.href } })
    onTestFinished(() => void server.child.kill('SIGKILL'))
    await serveSlowly(server, { delayMs: 200, setDelay: (delayMs) => void (proxy.delayMs = delayMs) })
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    expect(server.stderr()).not.toContain('"level":50')
    await proxy.close()
    await verifies(folder, database.url)
    await database.drop()
  },
)

const source = fileURLToPath(new URL('../fixtures/slow-flush.c', import.meta.url))
const hasCompiler = spawnSync('cc', ['--version']).status === 0
if (!hasCompiler) console.warn('there is no C compiler: the test of a slow disk is skipped')

test.runIf(hasCompiler)(
  'if the disk takes 50 ms longer for each flush, requests are delayed but not lost',
  async () => {
    const library = join(folder, 'slow-flush.so')
    const compiled = spawnSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl'])
    expect(String(compiled.stderr)).toBe('')
    const server = await spawnServer(folder, {
      environment: { LD_PRELOAD: library, SLOW_FLUSH_MICROS: '50000' },
    })
    onTestFinished(() => void server.child.kill('SIGKILL'))
    await serveSlowly(server, { delayMs: 50, setDelay: () => {} })
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    expect(server.stderr()).not.toContain('"level":50')
    await verifies(folder)
  },
)
