/**
 * Lets the store fail at every step of a batch: the holds of its requests, the storing of its ID, the list of batches,
 * and the settlements. Each batch is rejected without a charge, or settled once with its results.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'
import {
  answerOf,
  connectAccount,
  eventually,
  makeApplication,
  settledBalance,
  startServer,
  type Application,
  type LocalServer,
  type StartOptions,
} from '../support/start-product.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'

type Plan =
  NonNullable<StartOptions['faults']> extends (point: infer Point) => infer Fault
    ? (point: Point, step: number) => Fault
    : never

const healthy: Plan = () => null
const credit = 1_000_000n

let plan: Plan = healthy
let step = 0
let server: LocalServer
let app: Application
let vendor: Vendor

beforeAll(async () => {
  server = await startServer({
    mayLogFaults: true,
    environment: { TOLLGATE_WRITER: 'inline' },
    limits: { background: { ...gatewayLimits.background, firstMs: 5, maxMs: 10 } },
    faults: (point) => plan(point, ++step),
    queue: {
      backoffMs: (attempts) => {
        // After three failed retries, the store works again.
        if (attempts >= 3) plan = healthy
        return 0
      },
    },
  })
  app = await makeApplication(server)
  vendor = await startVendor()
  const price = { input: '1000000', cacheWrite: '1000000', cacheWriteLong: '1000000', output: '1000000' }
  const account = { kind: 'anthropic', baseUrl: vendor.baseUrls.anthropic, apiKey: vendor.apiKey, price }
  await connectAccount(app, 'claude', { ...account, model: 'claude-sonnet-4-5' })
})
afterAll(async () => {
  plan = healthy
  await app.provider.close()
  await vendor.close()
  await server.close()
})

test.each([
  {
    name: 'one failure',
    faultAt:
      (n: number): Plan =>
      (_, at) =>
        at === n ? 'io' : null,
  },
  {
    name: 'a store that becomes unavailable',
    faultAt:
      (n: number): Plan =>
      (_, at) =>
        at >= n ? 'full' : null,
  },
])('$name at any step loses nothing and charges nothing twice', async ({ faultAt }) => {
  const ends = { served: 0, refused: 0 }
  const requests = ['a', 'b', 'c'].map((custom_id) => ({
    custom_id,
    params: {
      model: 'acme/claude',
      max_tokens: 50,
      messages: [{ role: 'user', content: '[[tokens=12]]' }],
    },
  }))
  for (let n = 1; ; n++) {
    /* oxlint-disable no-await-in-loop -- one batch after the other */
    const user = await app.newUser({ balanceMicros: credit })
    const ask = async (method: string, path: string, body?: object) =>
      answerOf(
        await fetch(`${app.gateway}/v1/messages/batches${path}`, {
          method,
          headers: {
            'x-api-key': user.key,
            'anthropic-version': '2023-06-01',
            'content-type': 'application/json',
          },
          ...(body && { body: JSON.stringify(body) }),
        }),
      )
    let met = 0
    const planned = faultAt(n)
    step = 0
    plan = (point, at) => {
      // Reads also fail, and the server does not retry reads. After eight faults, the store works again.
      const fault = met < 8 ? planned(point, at) : null
      if (fault !== null) met++
      return fault
    }
    const { body, status, text } = await ask('POST', '', { requests })
    expect([200, 503], text).toContain(status)
    // The gateway itself detects that the batch has ended, although the store fails. The gateway writes the grant after
    // the current operation has ended.
    await eventually(() => user.grant(1n))
    await eventually(async () => expect((await user.balance()).reservedMicros).toBe(0n))
    plan = healthy
    const records = await user.requests()
    const charge = credit + 1n - (await settledBalance(user))
    const micros = records.reduce((sum, { chargeMicros }) => sum + BigInt(chargeMicros ?? 0), 0n)
    expect(charge).toBe(micros)
    if (status === 200) {
      const results = await ask('GET', `/${body.id}/results`)
      const lines = results.text.trimEnd().split('\n')
      expect(lines).toHaveLength(3)
      const tokens = lines.reduce((sum, line) => {
        const { usage } = JSON.parse(line).result.message
        return sum + BigInt(usage.input_tokens + usage.output_tokens)
      }, 0n)
      expect(charge).toBe(tokens)
      ends.served++
    } else ends.refused++
    if (met === 0) break
    /* oxlint-enable no-await-in-loop */
  }
  expect(ends.served).toBeGreaterThan(10)
  console.info(JSON.stringify(ends))
})
