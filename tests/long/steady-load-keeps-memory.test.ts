/**
 * Tests a server under a steady mix of work: responses, streams, clients that disconnect, wrong keys, rejected
 * requests, and control-plane reads. Requirements while no request is in flight, after forced garbage collections:
 *
 * - After all requests, no constructor has more live objects than after the first third of the requests. The first
 *   third of the requests fills the caches, which contain all end users or have a fixed size. A leak of one object in
 *   ten requests of one kind fails the test. Compiled code is not counted, because the engine compiles more code for
 *   hours.
 * - The numbers of file descriptors and handles at the end are those of the first sample.
 * - At the end, no money is held, and the store adds up.
 *
 * SOAK_REQUESTS sets the number of requests. SOAK_MINUTES adds a run of this length with less load, in which the test
 * takes a sample every few minutes. By linear regression over these samples, the used heap without compiled code must
 * grow by less than 1 MB per hour. SOAK_MINUTES must be at least 60 to measure this growth.
 */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import { startFakeProvider } from '../support/fake-provider.ts'
import {
  control,
  eventually,
  makeApplication,
  settledBalance,
  spawnServer,
  verifies,
  type User,
} from '../support/start-product.ts'
import { countObjects } from '../support/count-heap-objects.ts'
import { descriptorsOf, residentBytesOf } from '../support/process-measurements.ts'
import { sizeOf } from '../support/start-several-processes.ts'
import { wrongKeyLike } from '../support/make-wrong-key.ts'

const minuteMs = 60_000
const requests = sizeOf('SOAK_REQUESTS', 9_000)
const minutes = sizeOf('SOAK_MINUTES', 0)
const samplesOfRun = 12
const lanes = 4
/**
 * Each of the concurrent lanes may connect to the gateway, to the control plane, and from the gateway to the provider.
 */
const connections = 3 * lanes
const people = 20
const program = fileURLToPath(new URL('../support/serve-with-memory-figures.ts', import.meta.url))

interface Sample {
  readonly atMs: number
  readonly heapBytes: number
  readonly codeBytes: number
  readonly handles: number
  readonly descriptors: number
}

test(
  'a server under steady load keeps its memory, its descriptors and its handles',
  async () => {
    const folder = newDataFolder('soak')
    const provider = await startFakeProvider({ chunks: 8 })
    const server = await spawnServer(folder, { program: ['--expose-gc', program, folder] })
    onTestFinished(() => void server.child.kill('SIGKILL'))
    const app = await makeApplication(server, { provider })
    const users = await Promise.all(
      Array.from({ length: people }, () => app.newUser({ balanceMicros: 1_000_000_000_000n })),
    )
    const poor = await app.newUser()
    const lines = createInterface(server.child.stdout ?? expect.fail('the output is piped'))
    const pid = server.child.pid ?? 0

    const statuses = new Map<string, number>()
    const count = (what: string): void => void statuses.set(what, (statuses.get(what) ?? 0) + 1)
    const work: readonly ((user: User, turn: number) => Promise<unknown>)[] = [
      (user) => app.call(user).then(({ status }) => count(`call ${status}`)),
      (user) => app.call(user, { stream: true }).then(({ status }) => count(`stream ${status}`)),
      (user) =>
        app.call(user, { stream: true }, { signal: AbortSignal.timeout(15) }).then(
          ({ status }) => count(`short stream ${status}`),
          () => count('disconnected'),
        ),
      (user, turn) =>
        app.call({ key: wrongKeyLike(user.key, turn) }).then(({ status }) => count(`wrong key ${status}`)),
      () => app.call(poor).then(({ status }) => count(`no money ${status}`)),
      (user) =>
        control(server, 'GET', `/v1/end-users/${user.externalId}`, undefined, { 'x-svc-app': app.slug }).then(
          ({ status }) => count(`read ${status}`),
        ),
    ]
    // The server may close an idle connection at the moment when the client uses the connection again.
    const ifClosedWhileIdle = (error: unknown): void => {
      if (!/ECONNRESET|other side closed/.test(inspect(error))) throw error
      count('connection closed while idle')
    }
    let turn = 0
    const load = async (isDone: () => boolean, pauseMs: number): Promise<void> => {
      while (!isDone()) {
        const next = turn++
        const user = users[next % people] ?? expect.fail('there are end users')
        // oxlint-disable-next-line no-await-in-loop -- one request after the other
        await work[next % work.length]?.(user, next).catch(ifClosedWhileIdle)
        // oxlint-disable-next-line no-await-in-loop -- a steady load below the capacity
        await delay(pauseMs)
      }
    }
    const loadInLanes = (isDone: () => boolean, pauseMs: number): Promise<unknown> =>
      Promise.all(Array.from({ length: lanes }, () => load(isDone, pauseMs)))
    const loadUntil = (requestsSent: number): Promise<unknown> => loadInLanes(() => turn >= requestsSent, 0)
    const loadFor = (ms: number): Promise<unknown> => {
      const untilMs = performance.now() + ms
      return loadInLanes(() => performance.now() >= untilMs, 50)
    }
    const ask = async (signal: NodeJS.Signals) => {
      const line = once(lines, 'line')
      server.child.kill(signal)
      return JSON.parse(String((await line)[0]))
    }
    const startedMs = performance.now()
    const sample = async (): Promise<Sample> => {
      await eventually(async () => {
        const { text } = await control(server, 'GET', '/metrics')
        expect(text).toContain('\ntollgate_calls_in_flight 0\n')
      })
      const { codeBytes, handles, heapBytes } = await ask('SIGUSR2')
      const atMs = performance.now() - startedMs
      const descriptors = descriptorsOf(pid)
      const residentBytes = residentBytesOf(pid)
      console.log(
        `${(atMs / minuteMs).toFixed(1)} min: heap ${(heapBytes / 1e6).toFixed(2)} MB, ` +
          `of which code ${(codeBytes / 1e6).toFixed(2)} MB, ` +
          `resident ${(residentBytes / 1e6).toFixed(0)} MB, ${descriptors} descriptors, ${handles} handles`,
      )
      return { atMs, heapBytes, codeBytes, handles, descriptors }
    }
    const objects = async (): Promise<Map<string, number>> => {
      const { path } = await ask('SIGWINCH')
      return countObjects(path)
    }

    await loadUntil(requests / 3)
    const samples = [await sample()]
    const before = await objects()
    await loadUntil(requests)
    samples.push(await sample())
    const more = [...(await objects())]
      .map(([name, number]) => ({ name, grown: number - (before.get(name) ?? 0) }))
      .toSorted((one, other) => other.grown - one.grown)
    const firstOfRun = samples.length - 1
    const lastOfRun = firstOfRun + (minutes > 0 ? samplesOfRun : 0)
    while (samples.length <= lastOfRun) {
      // oxlint-disable-next-line no-await-in-loop -- one sample after the other
      await loadFor((minutes * minuteMs) / samplesOfRun)
      // oxlint-disable-next-line no-await-in-loop -- as above
      samples.push(await sample())
    }
    console.log(`${turn} requests: ${[...statuses].map(([what, n]) => `${n}x ${what}`).join(', ')}`)
    const shown = more.slice(0, 5).map(({ grown, name }) => `${grown} ${name}`)
    console.log(`more objects after ${(requests * 2) / 3} more requests: ${shown.join(', ')}`)
    const slope = minutes > 0 ? dataBytesPerHour(samples.slice(firstOfRun)) / 1e6 : 0
    if (minutes > 0) console.log(`heap without code: ${slope.toFixed(2)} MB per hour`)

    for (const user of [...users, poor]) {
      // oxlint-disable-next-line no-await-in-loop -- the store reads one after the other anyway
      await settledBalance(user)
    }
    console.log('held at the end: 0')
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    await verifies(folder)
    console.log('verify: clean')
    await provider.close()
    rmSync(folder, { recursive: true, force: true })

    const [first, ...others] = samples
    const last = others.at(-1)
    expect(last?.descriptors).toBeLessThanOrEqual((first?.descriptors ?? 0) + connections)
    expect(last?.handles).toBeLessThanOrEqual((first?.handles ?? 0) + connections)
    const ofEachKind = (requests * 2) / 3 / work.length
    expect(statuses.get('connection closed while idle') ?? 0).toBeLessThan(1 + turn / 1_000)
    expect(more.filter(({ grown }) => grown > ofEachKind / 10)).toEqual([])
    expect(slope).toBeLessThan(1)
  },
  (minutes + 20) * minuteMs,
)

/** Slope of the least-squares line through the samples, without compiled code. */
function dataBytesPerHour(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number): number =>
    samples.reduce((sum, each) => sum + of(each), 0) / samples.length
  const meanMs = mean(({ atMs }) => atMs)
  const meanBytes = mean(dataBytesOf)
  const covariance = mean((sample) => (sample.atMs - meanMs) * (dataBytesOf(sample) - meanBytes))
  return (covariance / mean(({ atMs }) => (atMs - meanMs) ** 2)) * 60 * minuteMs
}

function dataBytesOf({ codeBytes, heapBytes }: Sample): number {
  return heapBytes - codeBytes
}
