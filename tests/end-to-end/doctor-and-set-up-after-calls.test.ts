import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  control,
  makeApplication,
  settledBalance,
  startServer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

interface Found {
  readonly code: string
  readonly resource: { readonly id: string }
  readonly fix: { readonly call: { readonly method: string; readonly path: string } }
}
const findings = async (): Promise<Found[]> => (await app.api('GET', '/v1/diagnose')).findings
const codes = async () => (await findings()).map(({ code }) => code)
const missing = async () =>
  (await app.api('GET', '/v1/onboarding')).steps
    .filter(({ state }: { state: string }) => state === 'missing')
    .map(({ step }: { step: string }) => step)

describe('a call', () => {
  test('a call whose key the provider rejects is reported, and rotating the key fixes it', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000_000n })
    expect(await codes()).toEqual([])
    expect(await missing()).toEqual(['provider_answered', 'call_settled'])
    for (const status of [401, 403]) {
      app.provider.enqueue({ status })
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      expect((await app.call(user)).body.error.code).toBe('upstream_unauthorized')
    }
    const [finding] = await findings()
    expect(finding).toMatchObject({ code: 'credential_refused', resource: { id: app.slug } })
    expect(await missing(), 'refused is not answered').toEqual(['provider_answered', 'call_settled'])
    const { method, path } = finding?.fix.call ?? { method: '', path: '' }
    await app.api(method, path, { apiKey: 'sk-upstream-rotated-9876' })
    expect(await codes()).toEqual([])
    const { accounts, circuits } = await app.api('GET', '/v1/health')
    expect([accounts[0].state, circuits], 'no circuit of the earlier key').toEqual(['degraded', []])
  })

  test('a successful call completes the last step of the set-up', async () => {
    const early = await control(server, 'POST', '/v1/onboarding/complete')
    expect([early.status, early.body.error.code]).toEqual([409, 'onboarding_incomplete'])
    const user = await app.newUser({ balanceMicros: 1_000_000_000n })
    expect((await app.call(user)).status).toBe(200)
    await settledBalance(user)
    expect(await missing()).toEqual([])
    expect((await app.api('POST', '/v1/onboarding/fund-and-try')).fundedAndTriedAt).toMatch(/^20/)
    expect((await app.api('POST', '/v1/onboarding/complete')).completedAt).toMatch(/^20/)
    expect((await app.api('GET', '/v1/bill')).settledCalls).toBe(1)
    expect(await codes()).toEqual([])
  })
})
