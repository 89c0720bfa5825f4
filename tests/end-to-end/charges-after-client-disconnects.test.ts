/**
 * Tests the cost of a call whose client disconnects, for each setting of the account and of the bundle
 * (docs/guides/hang-up.md).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { costMicros, countedInput, countedOutput } from '../support/expected-costs.ts'
import type { Behaviour } from '../support/fake-provider.ts'
import {
  arrival,
  connectAccount,
  control,
  eventually,
  makeApplication,
  settledBalance,
  startServer,
  textsOf,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'

let server: LocalServer
let app: Application
let vendor: Vendor
let user: User
const credit = 100_000_000n
const pieces = ['Hello', ' there', ' and', ' more', ' of', ' it']
const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 }

beforeAll(async () => {
  // After a disconnect, the gateway reads the provider's stream for up to a minute, which is longer than any test
  // takes.
  server = await startServer({ limits: { drainMs: 60_000 } })
  app = await makeApplication(server)
  vendor = await startVendor()
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})
beforeEach(async () => {
  await setAccount(null)
  await setBundle(null)
  user = await app.newUser({ balanceMicros: credit })
})

let label = ''
let bundle = ''
beforeAll(async () => {
  const [account] = (await app.api('GET', '/v1/providers')).data
  label = account.label
  const [first] = (await app.api('GET', '/v1/bundles')).data
  bundle = first.slug
})

const setAccount = (onClientLeft: string | null): Promise<unknown> =>
  app.api('PUT', `/v1/providers/${label}`, { onClientLeft })
const setBundle = (onClientLeft: string | null): Promise<unknown> =>
  app.api('PATCH', `/v1/bundles/${bundle}`, { onClientLeft })

/** Disconnects after three pieces of a stream, or as soon as the provider is called. */
async function leave(behaviour: Behaviour = {}, body: object = { stream: true }) {
  app.provider.enqueue({ chunks: pieces, usage, hang: 'mid', ...behaviour })
  const abort = new AbortController()
  const arrived = arrival(app.provider)
  const answered = fetch(`${app.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
    body: app.bodyOf(body),
    signal: abort.signal,
  })
  answered.catch(() => {})
  const call = await arrived
  if ('stream' in body) {
    const reader = (await answered).body?.getReader()
    let text = ''
    while (textsOf(text.slice(0, text.lastIndexOf('\n\n') + 2)).length < 3) {
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other
      const { value } = (await reader?.read()) ?? {}
      text += Buffer.from(value ?? []).toString()
    }
  }
  abort.abort()
  return call
}

async function settled() {
  const request = await eventually(async () => {
    const [first] = await user.requests()
    expect(first?.status).toBe('settled')
    return first
  })
  const charge = credit - (await settledBalance(user))
  expect(request).toMatchObject({ errorCode: 'client_left', chargeMicros: String(charge) })
  const shown = await app.api('GET', `/v1/requests/${request.id}`)
  return { charge, usage: shown.usage }
}

function delivered(): bigint {
  const input = countedInput(app.bodyOf({ stream: true }))
  return costMicros(app.rates, { input, output: countedOutput(pieces.slice(0, 3)) })
}

/** The charge covers the provider's usage of 1,000 input and 500 output tokens. */
const generated = (): bigint => costMicros(app.rates, { input: 1_000, output: 500 })

const drains = (count: number): Promise<void> =>
  eventually(async () => {
    const { text } = await control(server, 'GET', '/metrics')
    expect(/^tollgate_drains (\d+)$/m.exec(text)?.[1]).toBe(String(count))
  })

async function expectCut(): Promise<void> {
  const call = await leave()
  await call.cut
  const { charge, usage: shown } = await settled()
  expect(charge).toBe(delivered())
  expect(shown.tokenSource).toBe('estimated')
  await drains(0)
}

async function expectDrained(body?: object): Promise<void> {
  await leave({}, body)
  await drains(1)
  app.provider.release()
  const { charge, usage: shown } = await settled()
  expect(charge).toBe(generated())
  expect(shown.tokenSource).toBe('provider_reported')
}

test.each<[account: string | null, bundle: string | null, charged: 'delivered' | 'generated']>([
  [null, null, 'generated'],
  ['drain', null, 'generated'],
  ['cut', null, 'delivered'],
  ['cut', 'drain', 'generated'],
  [null, 'cut', 'delivered'],
  ['drain', 'cut', 'delivered'],
  ['cut', 'cut', 'delivered'],
])(
  'a stream with the account setting %s and the bundle setting %s is charged for the %s output',
  async (account, ofBundle, charged) => {
    await setAccount(account)
    await setBundle(ofBundle)
    await (charged === 'delivered' ? expectCut() : expectDrained())
  },
)

test('a non-streaming response is read to its end with any setting, because the vendor bills the whole response anyway', async () => {
  await setAccount('cut')
  await expectDrained({})
})

test('an interrupted stream is charged by the usage that its provider has reported so far', async () => {
  await setAccount('cut')
  const call = await leave({ usageAt: 'repeated' })
  await call.cut
  const { charge, usage: shown } = await settled()
  expect(charge).toBe(generated())
  expect(shown.tokenSource).toBe('provider_reported')
})

test('a usage report that precedes the output is not treated as final', async () => {
  await setAccount('cut')
  const call = await leave({
    usageAt: 'repeated',
    chunks: pieces.map((piece) => piece.repeat(20)),
    usage: { prompt_tokens: 1_000, completion_tokens: 1, total_tokens: 1_001 },
  })
  await call.cut
  const { usage: shown } = await settled()
  expect(shown.tokenSource).toBe('estimated')
  expect(shown.output).toBeGreaterThan(50)
})

describe('the default setting of a kind', () => {
  const price = { input: '1000000', cacheWrite: '1000000', cacheWriteLong: '1000000', output: '1000000' }

  test.each<['openai' | 'anthropic' | 'google', string, boolean]>([
    ['openai', 'gpt-5.4', true],
    ['anthropic', 'claude-opus-4-8', true],
    ['google', 'gemini-3.1-pro-preview', false],
  ])(
    'the default of the kind %s (%s) cuts the provider’s stream when the client disconnects: %s',
    async (kind, model, isCut) => {
      const account = { kind, baseUrl: vendor.baseUrls[kind], apiKey: vendor.apiKey, model, price }
      await connectAccount(app, kind, account)
      const shown = await app.api('GET', `/v1/providers/${kind}`)
      expect(shown.onClientLeft).toBeNull()
      const abort = new AbortController()
      const response = await fetch(`${app.gateway}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: `acme/${kind}`,
          stream: true,
          max_tokens: 4_000,
          messages: [{ role: 'user', content: '[[tokens=100 delay=5ms]]' }],
        }),
        signal: abort.signal,
      })
      const reader = response.body?.getReader()
      await reader?.read()
      abort.abort()
      const { usage: used } = await settled()
      expect(used.tokenSource).toBe(isCut ? 'estimated' : 'provider_reported')
      if (isCut) {
        await vendor.calls.at(-1)?.cut
        expect(used.output).toBeLessThan(100)
      } else expect(used.output).toBe(100)
    },
  )
})

test('a PUT that omits the setting for disconnected clients keeps it, and null resets it', async () => {
  await setAccount('cut')
  expect((await app.api('PUT', `/v1/providers/${label}`, {})).onClientLeft).toBe('cut')
  expect((await app.api('PUT', `/v1/providers/${label}`, { onClientLeft: null })).onClientLeft).toBeNull()
  await setBundle('drain')
  expect((await app.api('GET', `/v1/bundles/${bundle}`)).onClientLeft).toBe('drain')
})
