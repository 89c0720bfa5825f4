/**
 * Lets the store fail at every step of a background response: the hold, the storing of its ID, and the settlement. Each
 * response is rejected before the provider receives it, or settled once with the usage that the provider reports.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
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
const tokens = 12

let plan: Plan = healthy
let step = 0
let backoffMs = 0
let server: LocalServer
let app: Application
let vendor: Vendor
/** Reads the store's file through another connection, so that only committed data is visible. */
let committed: DatabaseSync

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
        return backoffMs
      },
    },
  })
  app = await makeApplication(server)
  committed = new DatabaseSync(join(server.folder, 'tollgate.db'), { readOnly: true })
  vendor = await startVendor()
  const price = { input: '1000000', cacheWrite: '1000000', output: '1000000' }
  const account = { kind: 'openai', baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey, price }
  await connectAccount(app, 'openai', { ...account, model: 'gpt-5.4' })
})
afterAll(async () => {
  plan = healthy
  committed.close()
  await app.provider.close()
  await vendor.close()
  await server.close()
})

function settled(): number {
  return Number(committed.prepare('SELECT count(*) AS n FROM usage_records').get()?.['n'])
}

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
])('$name at any step loses no charge and charges nothing twice', async ({ faultAt }) => {
  const ends = { served: 0, refused: 0 }
  for (let n = 1; ; n++) {
    /* oxlint-disable no-await-in-loop -- one response after the other */
    const user = await app.newUser({ balanceMicros: credit })
    const asked = vendor.calls.length
    const settledBefore = settled()
    let met = 0
    const planned = faultAt(n)
    step = 0
    plan = (point, at) => {
      // Reads also fail, and the server does not retry reads. After eight faults, the store works again.
      const fault = met < 8 ? planned(point, at) : null
      if (fault !== null) met++
      return fault
    }
    const answer = await answerOf(
      await fetch(`${app.gateway}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'acme/openai', input: `[[tokens=${tokens}]]`, background: true }),
      }),
    )
    if (answer.status === 503) {
      plan = healthy
      expect(vendor.calls.slice(asked)).toEqual([])
      // The gateway writes the grant after the current operation has ended.
      await eventually(() => user.grant(1n))
      expect(await settledBalance(user)).toBe(credit + 1n)
      ends.refused++
      continue
    }
    expect(answer.status, answer.text).toBe(200)
    // The gateway itself detects that the response has ended, although the store fails.
    await eventually(async () => expect(settled()).toBe(settledBefore + 1))
    plan = healthy
    await eventually(() => user.grant(1n))
    const [record] = await user.requests()
    const { usage } = await app.api('GET', `/v1/requests/${record.id}`)
    expect(usage).toMatchObject({ output: tokens, tokenSource: 'provider_reported' })
    expect(credit + 1n - (await settledBalance(user))).toBe(BigInt(usage.input + tokens))
    const created = vendor.calls.slice(asked).filter(({ path }) => path === '/v1/responses')
    expect(created).toHaveLength(1)
    if (met === 0) break
    ends.served++
    /* oxlint-enable no-await-in-loop */
  }
  expect(ends.served).toBeGreaterThan(10)
  console.info(JSON.stringify(ends))
})

test('a client learns no ID of a streamed response before the ID or the charge is stored', async () => {
  const body = { input: `[[tokens=${tokens}]]`, background: true, stream: true, max_output_tokens: 500 }
  const whole = await fetch(`${vendor.baseUrls.openai}/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${vendor.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, model: 'gpt-5.4' }),
  }).then((response) => response.text())
  // The whole stream arrives in one piece, and the store is unavailable from then on.
  const burst = createServer((_, response) => {
    plan = () => 'full'
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(whole)
  })
  burst.listen(0, '127.0.0.1')
  await once(burst, 'listening')
  const { port } = burst.address() as AddressInfo
  const price = { input: '1000000', cacheWrite: '1000000', output: '1000000' }
  await connectAccount(app, 'burst', {
    kind: 'openai',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: 'sk-burst',
    price,
    model: 'gpt-5.4',
  })
  const user = await app.newUser({ balanceMicros: credit })
  const settledBefore = settled()
  backoffMs = 50
  const response = await fetch(`${app.gateway}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, model: 'acme/burst' }),
  })
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.includes('resp_')) expect(settled()).toBe(settledBefore + 1)
  }
  expect(text).toContain('response.completed')
  backoffMs = 0
  plan = healthy
  burst.close()
})
