/**
 * Measures how much CPU time destinations that never respond add to the calls of their application. The test compares
 * the CPU time of a call with and without three such destinations, alternately and in one run. tests/store-conformance
 * tests the limit of the delivery queue.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { callAtPort } from '../support/send-call-to-process-port.ts'
import { cpuMsOf } from '../support/cpu-time.ts'
import { startFakeProvider } from '../support/fake-provider.ts'
import { makeApplication, spawnServer } from '../support/start-product.ts'
import { residentBytesOf } from '../support/process-measurements.ts'
import { startUsageReceiver } from '../support/receiver-of-usage-events.ts'

const turns = 9
/** If `turns` turns give no clear result, measure up to this number. */
const turnsMax = 36
const ratioMax = 1.15
const callsATurn = 1_000
const concurrency = 16

interface Turn {
  readonly cpuMicrosPerCall: number
  readonly p50Ms: number
  readonly p99Ms: number
}

test('an emitter whose destination never responds adds almost no cost to calls', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-silent-'))
  const receiver = await startUsageReceiver()
  receiver.answer = () => {}
  const program = fileURLToPath(new URL('../support/run-tollgate-that-posts-to-receiver.ts', import.meta.url))
  const server = await spawnServer(folder, { program: [program, folder, String(receiver.port)] })
  const provider = await startFakeProvider()
  const app = await makeApplication(server, { provider })
  const user = await app.newUser({ balanceMicros: 10n ** 12n })
  const added = await Promise.all(
    ['one', 'two', 'three'].map((path) =>
      app.api('POST', '/v1/emitters', { kind: 'webhook', url: `https://hooks.receiver.test/${path}` }),
    ),
  )
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const pid = server.child.pid ?? 0

  // Every turn uses the same end user, because another end user would change the cost more than an emitter does.
  const turn = async (enabled: boolean): Promise<Turn> => {
    for (const { id } of added) {
      // oxlint-disable-next-line no-await-in-loop -- they are three
      await app.api('PATCH', `/v1/emitters/${id}`, { enabled })
    }
    const took: number[] = []
    const beforeMs = cpuMsOf(pid)
    let left = callsATurn
    const loop = async (): Promise<void> => {
      while (left-- > 0) {
        const startedMs = performance.now()
        // oxlint-disable-next-line no-await-in-loop -- one call after the other, in each of the loops
        expect(await callAtPort(server.port, { agent, app, user, body: { max_tokens: 20 } })).toBe(200)
        took.push(performance.now() - startedMs)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, loop))
    const sorted = took.toSorted((one, other) => one - other)
    const at = (share: number): number =>
      Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10
    const cpuMicrosPerCall = (1000 * (cpuMsOf(pid) - beforeMs)) / callsATurn
    return { cpuMicrosPerCall, p50Ms: at(0.5), p99Ms: at(0.99) }
  }

  // The first turns compile the code of both cases before the measurement.
  await turn(false)
  await turn(true)
  const quiet: Turn[] = []
  const silent: Turn[] = []
  // Each settlement is added to three queues, whose deliveries do not end.
  const ratio = (): number => median(silent, 'cpuMicrosPerCall') / median(quiet, 'cpuMicrosPerCall')
  // Other work of the machine changes the content of the processor's caches. Further turns distinguish this effect from
  // a real cost.
  for (let i = 0; i < turns || (i < turnsMax && ratio() >= ratioMax); i++) {
    // oxlint-disable no-await-in-loop -- in turns
    quiet.push(await turn(false))
    silent.push(await turn(true))
    // oxlint-enable no-await-in-loop
  }
  const residentMiB = residentBytesOf(pid) / 2 ** 20
  const figures = (all: readonly Turn[]): object => ({
    cpuMicrosPerCall: Math.round(median(all, 'cpuMicrosPerCall')),
    p50Ms: median(all, 'p50Ms'),
    p99Ms: median(all, 'p99Ms'),
  })
  console.log({
    without: figures(quiet),
    withThree: figures(silent),
    residentMiB: Math.round(residentMiB),
    attempts: receiver.received.length,
  })
  expect(receiver.received.length).toBeGreaterThanOrEqual(3 * turns)
  expect(ratio()).toBeLessThan(ratioMax)

  agent.destroy()
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  await provider.close()
  await receiver.close()
  rmSync(folder, { recursive: true, force: true })
})

function median(all: readonly Turn[], of: keyof Turn): number {
  return all.map((each) => each[of]).toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
}
