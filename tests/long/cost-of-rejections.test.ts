/**
 * Measures the processor time of rejecting a request for lack of capacity, with the product's HTTP edge and with Node's
 * HTTP server. The two servers are measured alternately, so that other work of the machine affects both times. With the
 * product's edge, the median of ten rounds must be below 25 us of the event loop's processor time. The median must also
 * be below that of Node's server.
 *
 * The clients send on connections that stay open. Each server is a separate process, so the time of the clients is not
 * measured.
 */
import { rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import { startFakeProvider } from '../support/fake-provider.ts'
import { control, eventually, makeApplication, spawnServer } from '../support/start-product.ts'
import { loopMsOf } from '../support/process-measurements.ts'
import { sizeOf } from '../support/start-several-processes.ts'

const rounds = 10
/** REJECTIONS sets the number of rejections in a round. */
const rejectionsInRound = sizeOf('REJECTIONS', 200) * 32
const connections = 32
const microsMax = 25

/** @returns the number of responses with the given status */
function repeat(port: number, request: string, status: string, times: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1')
    let received = ''
    let left = times
    let matching = 0
    socket.on('connect', () => socket.write(request))
    socket.on('error', reject)
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      const headEnd = received.indexOf('\r\n\r\n')
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? Number.NaN)
      if (headEnd < 0 || received.length < headEnd + 4 + length) return
      if (received.startsWith(`HTTP/1.1 ${status} `)) matching += 1
      received = ''
      if (--left > 0) return void socket.write(request)
      socket.destroy()
      resolve(matching)
    })
  })
}

interface Overloaded {
  /** @returns the processor time of the event loop per request, in microseconds */
  round(): Promise<number>
  close(): Promise<void>
}

async function startOverloaded(edge: 'own' | 'node'): Promise<Overloaded> {
  const folder = newDataFolder('rejections')
  const provider = await startFakeProvider({ hang: 'headers' })
  const server = await spawnServer(folder, {
    environment: {
      TOLLGATE_IN_FLIGHT_MAX: '1',
      TOLLGATE_WAITING_MAX: '1',
      TOLLGATE_WAITING_MS: '60000',
      TOLLGATE_HTTP_EDGE: edge,
      // The server reads the next request on a trusted proxy's connection immediately, even after a rejection.
      TOLLGATE_TRUSTED_PROXIES: '127.0.0.1',
    },
  })
  onTestFinished(() => void server.child.kill('SIGKILL'))
  const app = await makeApplication(server, { provider })
  const user = await app.newUser({ balanceMicros: 1_000_000_000n })
  const waiting = async (): Promise<string> => (await control(server, 'GET', '/metrics')).text
  const open = [app.call(user)]
  await eventually(async () => expect(provider.calls).toHaveLength(1))
  open.push(app.call(user))
  await eventually(async () => expect(await waiting()).toContain('\ntollgate_requests_waiting 1\n'))
  const body = app.bodyOf()
  const request = [
    'POST /v1/chat/completions HTTP/1.1',
    `host: 127.0.0.1:${app.gatewayPort}`,
    `authorization: Bearer ${user.key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
  const pid = server.child.pid ?? 0
  return {
    async round() {
      const beforeMs = loopMsOf(pid)
      const times = rejectionsInRound / connections
      const rejected = await Promise.all(
        Array.from({ length: connections }, () => repeat(app.gatewayPort, request, '503', times)),
      )
      expect(rejected).toEqual(Array.from({ length: connections }, () => times))
      return ((loopMsOf(pid) - beforeMs) * 1000) / rejectionsInRound
    },
    async close() {
      provider.release()
      await eventually(async () => expect(provider.calls).toHaveLength(2))
      provider.release()
      expect((await Promise.all(open)).map(({ status }) => status)).toEqual([200, 200])
      server.child.kill('SIGTERM')
      await server.ended
      await provider.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function medianOf(figures: readonly number[]): number {
  return figures.toSorted((one, other) => one - other)[Math.floor(figures.length / 2)] ?? Infinity
}

const rounded = (figures: readonly number[]): string => figures.map((each) => each.toFixed(1)).join(', ')

test(`rejecting a request as overloaded costs less than ${microsMax} us`, async () => {
  const own = await startOverloaded('own')
  const node = await startOverloaded('node')
  const micros = { own: [] as number[], node: [] as number[] }
  // The engine compiles the code of a rejection in the first rounds.
  for (let n = -3; n < rounds; n++) {
    /* oxlint-disable no-await-in-loop -- one round after the other */
    const ofOwn = await own.round()
    const ofNode = await node.round()
    /* oxlint-enable no-await-in-loop */
    if (n < 0) continue
    micros.own.push(ofOwn)
    micros.node.push(ofNode)
  }
  const ratio = medianOf(micros.own.map((each, at) => each / (micros.node[at] ?? 0)))
  console.log(`own edge: median ${medianOf(micros.own).toFixed(1)} us, ${rounded(micros.own)}`)
  console.log(`Node: median ${medianOf(micros.node).toFixed(1)} us, ${rounded(micros.node)}`)
  console.log(`ratio: median ${ratio.toFixed(2)}`)
  await own.close()
  await node.close()
  expect(medianOf(micros.own)).toBeLessThan(microsMax)
  expect(ratio).toBeLessThan(1)
})
