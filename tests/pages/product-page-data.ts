import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { FakeProvider } from '../support/fake-provider.ts'
import type { PageWorld } from '../support/start-page-tests.ts'

export const longName = `acme/${'very-long-name-'.repeat(8)}abc`
export const wild = '<img src=x onerror="document.title=\'owned\'"> \u202Bشركة الاختبار\u202C'
export const said = '{"error":{"message":"<b onmouseover=alert(1)>No such key</b>"}}'

export async function asked(
  world: PageWorld,
  method: string,
  path: string,
  body?: unknown,
  mode: 'live' | 'test' = 'test',
) {
  const answer = await world.call(method, path, body, { 'x-svc-app': world.app, 'x-svc-mode': mode })
  assert(answer.status < 300, `${method} ${path}: ${answer.text}`)
  return answer.body
}

export async function seed(world: PageWorld, provider: FakeProvider): Promise<void> {
  const put = (path: string, body: unknown) => asked(world, 'PUT', path, body)
  const post = (path: string, body: unknown) => asked(world, 'POST', path, body)
  await put('/v1/providers/main', {
    kind: 'openai_compatible',
    baseUrl: provider.baseUrl,
    apiKey: 'secret-of-main-9876',
  })
  await post('/v1/providers/main/price', {
    model: 'big',
    price: {
      input: '1250000',
      cacheRead: '125000',
      output: '10000000',
      tiers: [{ aboveInputTokens: 200_000, input: '2500000' }],
    },
  })
  await post('/v1/providers/main/price', { model: 'small', price: { input: '37500', output: '300000' } })
  await put('/v1/models/acme%2Ffine', { sources: [{ provider: 'main', model: 'big' }] })
  await put(`/v1/models/${encodeURIComponent(longName)}`, {
    sources: [
      { provider: 'main', model: 'small' },
      { provider: 'main', model: 'not-priced' },
    ],
  })
  await put('/v1/models/acme%2Fstopped', { sources: [{ provider: 'main', model: 'big' }] })
  await post('/v1/models/acme%2Fstopped/disable', undefined)
  await put('/v1/routers/acme%2Fsmart', {
    policy: 'weighted',
    targets: [
      { alias: 'acme/fine', weight: 3, when: { features: ['tools'], inputTokensMax: 1000 } },
      { alias: 'acme/stopped' },
      { provider: 'main', model: 'small', maxInFlight: 4, timeouts: { totalMs: 9000 } },
    ],
    attempts: { attemptsMax: 3, alsoMovesOn: [409] },
  })
  await put('/v1/bundles/wild', {
    displayName: wild,
    priceMicros: '19990000',
    spendLimitMicros: '5000000',
    spendLimitPeriod: 'day',
    terminationPolicy: 'grace',
    maxOverdraftMicros: '5000',
    creditCurrency: 'sparks',
  })
  await post('/v1/bundles/wild/allow', { models: ['acme/*'] })
  await post('/v1/bundles/wild/deny', { models: [longName] })
  await post('/v1/bundles/wild/price', {
    model: 'acme/fine',
    price: { input: '2500000', output: '12500000' },
    credits: { input: '1000000', output: '4500000' },
  })
  await post('/v1/bundles/wild/include', {
    slug: 'monthly',
    displayName: wild,
    unit: 'credits',
    amount: '250500000',
    models: ['acme/*'],
  })
}

export const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

/** In document order. */
export const microsIn = (page: Page, within: string): Promise<(string | null)[]> =>
  page
    .locator(`${within} [data-micros]`)
    .evaluateAll((all) => all.map((one) => one.getAttribute('data-micros')))

export function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
