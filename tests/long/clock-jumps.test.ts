/**
 * The server's wall clock jumps forward and back while the server handles requests. Requirements:
 *
 * - A stream that began before the jump ends completely, because deadlines use the monotonic clock.
 * - Requests after the jump are served. After a jump forward by an hour, an hourly limit admits its full number of
 *   requests again. A jump back does not block the end user.
 * - Every request is charged once. At the end, no money is held, and the store adds up.
 */
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { costMicros } from '../support/expected-costs.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { startFakeProvider } from '../support/fake-provider.ts'
import {
  eventually,
  makeApplication,
  settledBalance,
  spawnServer,
  textsOf,
  verifies,
} from '../support/start-product.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const jumps: readonly [string, number][] = [
  ['forward by a minute', minuteMs],
  // A jump back by one hour could end in the hour of the last request, because time passes.
  ['forward by two hours', 2 * hourMs + minuteMs],
  ['back by two hours', minuteMs],
  ['back by a day', minuteMs - dayMs],
  ['forward by 40 days', 40 * dayMs],
  ['back to the real time', 0],
]
const requestsBetween = 20
const credit = 1_000_000_000n
const usage = { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 }
const pieces = [' one', ' two', ' three', ' four']
const program = fileURLToPath(new URL('../support/serve-with-clock.ts', import.meta.url))

test('jumps of the clock end no request, block no end user, and change no charge', async () => {
  const folder = newDataFolder('clock')
  const file = join(folder, 'offset')
  const provider = await startFakeProvider({ chunks: pieces, usage })
  const server = await spawnServer(folder, { program: [program, folder, file] })
  onTestFinished(() => void server.child.kill('SIGKILL'))
  const lines = createInterface(server.child.stdout ?? expect.fail('the output is piped'))
  const app = await makeApplication(server, { provider })
  const user = await app.newUser({ balanceMicros: credit })
  const limited = await app.newUser({ balanceMicros: credit })
  const limits = [{ measure: 'requests', window: 'hour', most: '3' }]
  await app.api('PUT', `/v1/end-users/${limited.externalId}/limit`, { limits })
  const statusesOfLimited = async (): Promise<number[]> => {
    const statuses: number[] = []
    while (statuses.length < 5) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      statuses.push((await app.call(limited)).status)
    }
    return statuses
  }

  let requests = 0
  let served = 0
  for (const [name, offsetMs] of jumps) {
    // oxlint-disable no-await-in-loop -- one jump after the other
    provider.enqueue({ chunks: pieces, usage, hang: 'mid' })
    const seen = provider.calls.length
    const stream = app.call(user, { stream: true })
    await eventually(async () => expect(provider.calls).toHaveLength(seen + 1))
    writeFileSync(file, String(offsetMs))
    const moved = once(lines, 'line')
    server.child.kill('SIGUSR2')
    expect(await moved).toEqual([String(offsetMs)])

    const answers = await Promise.all(Array.from({ length: requestsBetween }, () => app.call(user)))
    expect(new Set(answers.map(({ status }) => status)), name).toEqual(new Set([200]))
    provider.release()
    const streamed = await stream
    expect([streamed.status, textsOf(streamed.text)], name).toEqual([200, pieces])
    requests += requestsBetween + 1
    const statuses = await statusesOfLimited()
    console.log(`the clock jumps ${name}: an end user with 3 requests per hour gets ${statuses.join(', ')}`)
    // The previous jump may end in the same hour, so the hourly limit may not start again.
    const admitted = statuses.filter((status) => status === 200).length
    expect(statuses.slice(admitted).every((status) => status === 429)).toBe(true)
    if (Math.abs(offsetMs - (jumps[jumps.findIndex(([each]) => each === name) - 1]?.[1] ?? 0)) >= hourMs)
      expect(admitted, name).toBeGreaterThan(0)
    expect(admitted, name).toBeLessThanOrEqual(3)
    served += admitted
    // oxlint-enable no-await-in-loop
  }
  const charge = costMicros(app.rates, { input: usage.prompt_tokens, output: usage.completion_tokens })
  expect(await settledBalance(user)).toBe(credit - BigInt(requests) * charge)
  expect(await settledBalance(limited)).toBe(credit - BigInt(served) * charge)
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  await verifies(folder)
  await provider.close()
  rmSync(folder, { recursive: true, force: true })
})
