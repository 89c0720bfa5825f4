/**
 * Tests a server whose file descriptors are all in use. Idle connections use them up, and prlimit prevents new ones.
 * Requirements:
 *
 * - The process keeps running, and responds on its open connections.
 * - Every request on an open connection gets a response: 200, or 502, 503 or 504 if the server cannot connect to the
 *   provider.
 * - After the idle connections are closed, every request is served. In the end, no money is held, and the ledger
 *   adds up.
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { callAtPort } from '../support/send-call-to-process-port.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { startFakeProvider } from '../support/fake-provider.ts'
import {
  eventually,
  makeApplication,
  settledBalance,
  spawnServer,
  verifies,
  type User,
} from '../support/start-product.ts'
import { descriptorsOf } from '../support/process-measurements.ts'

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0
if (!hasPrlimit) console.warn('there is no prlimit: the test of exhausted descriptors is skipped')
/** Number of free descriptors when the test sets the limit. */
const free = 40
const idleConnections = 200
const requests = 200
const connections = 10
const credit = 1_000_000_000n

test.runIf(hasPrlimit)('a server without free descriptors keeps its connections, and recovers', async () => {
  const folder = newDataFolder('descriptors')
  const provider = await startFakeProvider()
  const server = await spawnServer(folder)
  onTestFinished(() => void server.child.kill('SIGKILL'))
  const pid = server.child.pid ?? 0
  const app = await makeApplication(server, { provider })
  const users = await Promise.all(Array.from({ length: 10 }, () => app.newUser({ balanceMicros: credit })))
  const userAt = (n: number): User => users[n % users.length] ?? expect.fail('there are end users')
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const send = (count: number): Promise<number[]> =>
    Promise.all(
      Array.from({ length: count }, (_, n) => callAtPort(app.gatewayPort, { app, agent, user: userAt(n) })),
    )
  const health = async (): Promise<number> => {
    const [response] = await once(
      get({ host: '127.0.0.1', port: server.port, path: '/health', agent }),
      'response',
    )
    response.resume()
    await once(response, 'end')
    return response.statusCode
  }
  expect(new Set(await send(requests))).toEqual(new Set([200]))
  expect(await health()).toBe(200)

  const limit = descriptorsOf(pid) + free
  expect(spawnSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:${limit}`]).status).toBe(0)
  const idle: Socket[] = []
  for (let n = 0; n < idleConnections; n++) {
    const socket = connect(n % 2 === 0 ? app.gatewayPort : server.port, '127.0.0.1')
    socket.on('error', () => {})
    idle.push(socket)
  }
  await eventually(async () => expect(descriptorsOf(pid)).toBeGreaterThanOrEqual(limit - 1))
  const short = await send(requests)
  const counts = Map.groupBy(short, (status) => status)
  console.log(
    `without free descriptors: ${[...counts].map(([status, all]) => `${all.length}x ${status === 0 ? 'cut' : status}`).join(', ')}`,
  )
  expect([...counts.keys()].filter((status) => ![200, 502, 503, 504].includes(status))).toEqual([])
  expect(await health()).toBe(200)
  expect(server.child.exitCode).toBeNull()

  for (const socket of idle) socket.destroy()
  await eventually(async () => expect(descriptorsOf(pid)).toBeLessThan(limit - free / 2))
  expect(new Set(await send(requests))).toEqual(new Set([200]))
  for (const user of users) {
    // oxlint-disable-next-line no-await-in-loop -- the store reads one after the other anyway
    await settledBalance(user)
  }
  agent.destroy()
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  await verifies(folder)
  await provider.close()
  rmSync(folder, { recursive: true, force: true })
})
