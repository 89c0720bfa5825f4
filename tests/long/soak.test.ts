/**
 * A server under a steady mix of work: responses, streams, clients that disconnect, wrong keys, rejected requests, and
 * reads of the control plane. Requirements, by samples that are taken without load and after forced collections:
 *
 * - The used heap grows by less than 1 MB per hour, by a straight line through the samples.
 * - The numbers of file descriptors and handles at the end are those of the first sample.
 * - At the end, nothing is held, and the store adds up.
 *
 * SOAK_MINUTES sets the length, which is five minutes by default. A run of 60 minutes measures the heap's growth. In a
 * short run, each sample differs by more than 1 MB per hour, so only a growth of 2 MB over the run fails the test.
 */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
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
} from '../support/harness.ts'
import { descriptorsOf, residentBytesOf } from '../support/process-figures.ts'
import { sizeOf } from '../support/processes.ts'
import { wrongKeyLike } from '../support/wrong-key.ts'

const minuteMs = 60_000
const lengthMs = sizeOf('SOAK_MINUTES', 5) * minuteMs
/** The process fills its caches and compiles its code before the first sample. */
const warmUpMs = Math.min(2 * minuteMs, lengthMs / 3)
const samplesMin = 8
const lanes = 8
const people = 20
const program = fileURLToPath(new URL('../support/serve-with-figures.ts', import.meta.url))

interface Sample {
  readonly atMs: number
  readonly heapBytes: number
  readonly handles: number
  readonly descriptors: number
  readonly residentBytes: number
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
    let turn = 0
    const load = async (untilMs: number): Promise<void> => {
      while (performance.now() < untilMs) {
        const next = turn++
        const user = users[next % people] ?? expect.fail('there are end users')
        // oxlint-disable-next-line no-await-in-loop -- one request after the other
        await work[next % work.length]?.(user, next)
        // oxlint-disable-next-line no-await-in-loop -- a steady load below the capacity
        await delay(50)
      }
    }
    const loadFor = (ms: number): Promise<unknown> => {
      const untilMs = performance.now() + ms
      return Promise.all(Array.from({ length: lanes }, () => load(untilMs)))
    }
    const startedMs = performance.now()
    const sample = async (): Promise<Sample> => {
      await eventually(async () => {
        const { text } = await control(server, 'GET', '/metrics')
        expect(text).toContain('\ntollgate_calls_in_flight 0\n')
      })
      const line = once(lines, 'line')
      server.child.kill('SIGUSR2')
      const { handles, heapBytes } = JSON.parse(String((await line)[0]))
      const atMs = performance.now() - startedMs
      return {
        atMs,
        heapBytes,
        handles,
        descriptors: descriptorsOf(pid),
        residentBytes: residentBytesOf(pid),
      }
    }

    await loadFor(warmUpMs)
    const samples = [await sample()]
    const pauseMs = (lengthMs - warmUpMs) / samplesMin
    while (samples.length <= samplesMin) {
      // oxlint-disable-next-line no-await-in-loop -- one sample after the other
      await loadFor(pauseMs)
      // oxlint-disable-next-line no-await-in-loop -- as above
      samples.push(await sample())
    }
    const slope = bytesPerHour(samples) / 1e6
    for (const { atMs, descriptors, handles, heapBytes, residentBytes } of samples)
      console.log(
        `${(atMs / minuteMs).toFixed(1)} min: heap ${(heapBytes / 1e6).toFixed(2)} MB, ` +
          `resident ${(residentBytes / 1e6).toFixed(0)} MB, ${descriptors} descriptors, ${handles} handles`,
      )
    console.log(`${turn} requests: ${[...statuses].map(([what, n]) => `${n}x ${what}`).join(', ')}`)
    console.log(`heap: ${slope.toFixed(2)} MB per hour`)

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
    expect(last?.descriptors).toBeLessThanOrEqual((first?.descriptors ?? 0) + lanes)
    expect(last?.handles).toBeLessThanOrEqual((first?.handles ?? 0) + lanes)
    const hours = lengthMs / minuteMs / 60
    expect(slope * hours).toBeLessThan(Math.max(hours, 2))
  },
  lengthMs + 10 * minuteMs,
)

/** The slope of the straight line with the least squares. */
function bytesPerHour(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number): number =>
    samples.reduce((sum, each) => sum + of(each), 0) / samples.length
  const meanMs = mean(({ atMs }) => atMs)
  const meanBytes = mean(({ heapBytes }) => heapBytes)
  const covariance = mean(({ atMs, heapBytes }) => (atMs - meanMs) * (heapBytes - meanBytes))
  return (covariance / mean(({ atMs }) => (atMs - meanMs) ** 2)) * 60 * minuteMs
}
