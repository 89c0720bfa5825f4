/**
 * Requests arrive on a fixed schedule, faster than one process can serve them. The process must reject the excess
 * requests, continue its streams, answer `/health`, and serve every request again afterward.
 *
 * The test sets a fixed maximum for requests in flight, and a provider that responds slowly. Otherwise, the provider
 * and the clients would be slower than the tested process, because they share the machine's cores. The test counts
 * requests. The printed times include the time of the clients. OVERLOAD_PER_SECOND sets the number of requests per
 * second, and OVERLOAD_SECONDS the length of the load.
 */
import { rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts'
import {
  type Application,
  control,
  eventually,
  makeApplication,
  settledBalance,
  spawnServer,
  type SpawnedServer,
  textsOf,
  type User,
  verifies,
} from '../support/start-product.ts'
import { sizeOf } from '../support/start-several-processes.ts'

const perSecond = sizeOf('OVERLOAD_PER_SECOND', 800)
const seconds = sizeOf('OVERLOAD_SECONDS', 3)
const tickMs = 10
const settings = { TOLLGATE_IN_FLIGHT_MAX: '40', TOLLGATE_WAITING_MAX: '100', TOLLGATE_WAITING_MS: '750' }
const streams = 20
const pieces = [' one', ' two', ' three', ' four']

let folder: string
let provider: FakeProvider
let server: SpawnedServer
let app: Application
let people: User[]
beforeAll(async () => {
  folder = newDataFolder('overload')
  provider = await startFakeProvider()
  server = await spawnServer(folder, { environment: settings })
  app = await makeApplication(server, { provider })
  people = await Promise.all(
    Array.from({ length: 20 }, () => app.newUser({ balanceMicros: 1_000_000_000_000n })),
  )
})
afterAll(async () => {
  server.child.kill('SIGKILL')
  await provider.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Answer {
  /** 0 if the connection failed. */
  readonly status: number
  readonly ms: number
}

const agent = new Agent({ keepAlive: true })

function send(user: User): Promise<Answer> {
  const body = app.bodyOf()
  const startedMs = performance.now()
  const end = (status: number): Answer => ({ status, ms: performance.now() - startedMs })
  return new Promise((resolve) => {
    const sent = request(`${app.gateway}/v1/chat/completions`, {
      agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${user.key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    })
    sent.on('error', () => resolve(end(0)))
    sent.on('response', (response) => {
      response.on('end', () => resolve(end(response.statusCode ?? 0))).resume()
    })
    sent.end(body)
  })
}

async function health(): Promise<Answer> {
  const startedMs = performance.now()
  const { status } = await fetch(`${server.baseUrl}/health`)
  return { status, ms: performance.now() - startedMs }
}

/** If the timer fires late, `flood` sends all requests that are due. */
async function flood(): Promise<{ answers: Answer[]; probes: Answer[] }> {
  const answers: Promise<Answer>[] = []
  const probes: Promise<Answer>[] = []
  const startedMs = performance.now()
  while (answers.length < perSecond * seconds) {
    const dueNow = Math.min(perSecond * seconds, ((performance.now() - startedMs) * perSecond) / 1000)
    while (answers.length < dueNow) answers.push(send(people[answers.length % people.length] ?? never()))
    if (probes.length * 100 < performance.now() - startedMs) probes.push(health())
    // oxlint-disable-next-line no-await-in-loop -- the schedule
    await delay(tickMs)
  }
  return { answers: await Promise.all(answers), probes: await Promise.all(probes) }
}

/** The work of the clients does not change the delay of the server's event loop. */
async function loopLine(): Promise<string> {
  const { text } = await control(server, 'GET', '/metrics')
  const msOf = (name: string): string => {
    const found = new RegExp(`^nodejs_eventloop_lag_${name}_seconds ([\\d.e-]+)`, 'm').exec(text)
    return (Number(found?.[1]) * 1000).toFixed(0)
  }
  return `loop of the server: p99 ${msOf('p99')} ms, max ${msOf('max')} ms`
}

function never(): never {
  throw new Error('there are people')
}

function lineOf(name: string, answers: readonly Answer[]): string {
  const sorted = answers.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0)
  return `${name}: ${answers.length}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}

test('a process beyond its capacity rejects the excess and cuts no stream', async () => {
  for (let n = 0; n < streams; n++) provider.enqueue({ chunks: pieces, hang: 'mid' })
  const [reader = never()] = people
  const open = Array.from({ length: streams }, () => app.call(reader, { stream: true }))
  await eventually(async () => expect(provider.calls).toHaveLength(streams))

  // On any machine, at most a few hundred requests a second can then be served.
  provider.script({ chunkDelayMs: 20 })
  const { answers, probes } = await flood()
  provider.script({})
  const served = answers.filter(({ status }) => status === 200)
  const rejected = answers.filter(({ status }) => status === 503)
  console.log(
    [
      lineOf('served', served),
      lineOf('rejected', rejected),
      lineOf('/health', probes),
      await loopLine(),
    ].join('\n'),
  )
  expect(served.length + rejected.length).toBe(perSecond * seconds)
  expect(served.length).toBeGreaterThan(0)
  expect(rejected.length).toBeGreaterThan(0)
  expect(probes.filter(({ status }) => status !== 200)).toEqual([])

  const after = await Promise.all(people.map((user) => send(user)))
  expect(after.map(({ status }) => status)).toEqual(people.map(() => 200))
  const { text } = await control(server, 'GET', '/metrics')
  expect(text).toContain(`\ntollgate_requests_overloaded_total ${rejected.length}\n`)
  expect(text).toContain('\ntollgate_requests_waiting 0\n')
  expect(text).toContain(`\ntollgate_calls_in_flight ${streams}\n`)

  provider.release()
  const streamed = await Promise.all(open)
  for (const answer of streamed) expect(textsOf(answer.text).join('')).toBe(pieces.join(''))
  for (const user of people) {
    // oxlint-disable-next-line no-await-in-loop -- the store reads one after the other anyway
    await settledBalance(user)
  }
  expect(provider.calls).toHaveLength(streams + served.length + after.length)
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  await verifies(folder)
})
