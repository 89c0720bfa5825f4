/**
 * What a destination that never answers costs the calls of its application: processor time of the server for a call,
 * and its memory, beside an application without emitters on the same server, in turns of one run.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startFakeProvider } from '../support/fake-provider.ts'
import { makeApplication, spawnServer, type Application, type User } from '../support/harness.ts'
import { startUsageReceiver } from '../support/usage-receiver.ts'

const turns = 9
const callsATurn = 1_500
const concurrency = 16

interface Turn {
  readonly cpuMicrosPerCall: number
  readonly p50Ms: number
  readonly p99Ms: number
}

test('an emitter that never answers costs its calls next to nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-silent-'))
  const receiver = await startUsageReceiver()
  receiver.answer = () => {}
  const program = fileURLToPath(new URL('../support/serve-to-receiver.ts', import.meta.url))
  const server = await spawnServer(folder, { program: [program, folder, String(receiver.port)] })
  const provider = await startFakeProvider()
  const without = await makeApplication(server, { provider })
  const told = await makeApplication(server, { provider })
  for (const path of ['one', 'two', 'three']) {
    // oxlint-disable-next-line no-await-in-loop -- in this order
    await told.api('POST', '/v1/emitters', { kind: 'webhook', url: `https://hooks.receiver.test/${path}` })
  }
  const people = await Promise.all(
    [without, told].map(async (app) => ({ app, user: await app.newUser({ balanceMicros: 10n ** 12n }) })),
  )
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const pid = server.child.pid ?? 0

  const turn = async ({ app, user }: { app: Application; user: User }): Promise<Turn> => {
    const took: number[] = []
    const before = cpuMicros(pid)
    let left = callsATurn
    const loop = async (): Promise<void> => {
      while (left-- > 0) {
        const startedMs = performance.now()
        // oxlint-disable-next-line no-await-in-loop -- one call after the other, in each of the loops
        await call(agent, server.port, app, user)
        took.push(performance.now() - startedMs)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, loop))
    const sorted = took.toSorted((one, other) => one - other)
    const at = (share: number): number =>
      Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10
    return { cpuMicrosPerCall: (cpuMicros(pid) - before) / callsATurn, p50Ms: at(0.5), p99Ms: at(0.99) }
  }

  const [one, other] = people
  assert(one && other)
  // Compiles everything, both ways.
  await turn(one)
  await turn(other)
  const quiet: Turn[] = []
  const silent: Turn[] = []
  for (let i = 0; i < turns; i++) {
    // oxlint-disable no-await-in-loop -- in turns
    quiet.push(await turn(one))
    silent.push(await turn(other))
    // oxlint-enable no-await-in-loop
  }
  const residentMiB = residentBytes(pid) / 2 ** 20
  const median = (all: readonly Turn[], of: keyof Turn): number =>
    all.map((each) => each[of]).toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
  const figures = (all: readonly Turn[]): object => ({
    cpuMicrosPerCall: Math.round(median(all, 'cpuMicrosPerCall')),
    p50Ms: median(all, 'p50Ms'),
    p99Ms: median(all, 'p99Ms'),
  })
  const shown = await told.api('GET', '/v1/emitters')
  const dropped = shown.data.map((emitter: { dropped: number }) => emitter.dropped)
  console.log({
    without: figures(quiet),
    withThree: figures(silent),
    residentMiB: Math.round(residentMiB),
    dropped,
  })
  expect(dropped.every((count: number) => count > 0)).toBe(true)
  // Each settle is put into three queues; three deliveries hang.
  const ratio = median(silent, 'cpuMicrosPerCall') / median(quiet, 'cpuMicrosPerCall')
  expect(ratio).toBeLessThan(1.15)

  agent.destroy()
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  await provider.close()
  await receiver.close()
  rmSync(folder, { recursive: true, force: true })
})

function call(agent: Agent, port: number, app: Application, user: User): Promise<void> {
  return new Promise((resolve, reject) => {
    const body = app.bodyOf({ max_tokens: 20 })
    const asking = request({
      agent,
      host: '127.0.0.1',
      port,
      method: 'POST',
      path: '/v1/chat/completions',
      headers: {
        host: app.gatewayHost,
        authorization: `Bearer ${user.key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    })
    asking.on('error', reject)
    asking.on('response', (response) => {
      response.resume()
      response.on('end', () =>
        response.statusCode === 200
          ? resolve()
          : reject(new Error(`a call was answered ${response.statusCode}`)),
      )
    })
    asking.end(body)
  })
}

/** Processor time of a process so far, in ticks of 10 ms (proc(5), utime and stime). */
function cpuMicros(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

function residentBytes(pid: number): number {
  const [, kiB = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kiB) * 1024
}
