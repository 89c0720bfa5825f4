import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { metrics } from '#telemetry/metric-definitions.ts'
import {
  answerOf,
  arrival,
  control,
  eventually,
  makeApplication,
  startServer,
  testKeyOf,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { readScrape, valueOf, type Labels, type Scraped } from '../support/read-prometheus-text.ts'

let server: LocalServer
let app: Application
let user: User

beforeAll(async () => {
  server = await startServer({ environment: { TOLLGATE_METRICS_ADDRESSES: '192.0.2.0/24' } })
  app = await makeApplication(server)
  user = await app.newUser({ balanceMicros: 1_000_000_000n })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const scrapeOf = (): Promise<Answer> => control(server, 'GET', '/metrics')
const scrape = async (): Promise<Scraped> => readScrape((await scrapeOf()).text)

test('the metrics have the totals of all calls, in the units that the names of the metrics state', async () => {
  const poor = await app.newUser({ balanceMicros: 1n })
  const answer = await app.call(user)
  await app.call(user, { stream: true })
  expect((await app.call(poor)).status).toBe(402)
  app.provider.enqueue({ status: 500, body: { error: { message: 'down' } } })
  expect((await app.call(user)).status).toBeGreaterThanOrEqual(500)
  expect((await app.call(user, { model: 'acme/nothing' })).status).toBe(404)
  const testKey = await testKeyOf(app)
  expect((await app.call({ key: testKey })).status).toBe(200)

  const { headers, status } = await scrapeOf()
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const seen = await eventually(async () => {
    const found = await scrape()
    expect(valueOf(found, 'tollgate_calls_total', { code: 'model_not_found' })).toBe(1)
    return found
  })
  const live = { application: app.slug, mode: 'live' }
  const calls = (labels: Labels): number | null =>
    valueOf(seen, 'tollgate_calls_total', { ...live, ...labels })
  expect(calls({ outcome: 'settled', status: '2xx', code: 'none', wire: 'chat' })).toBe(2)
  expect(calls({ outcome: 'refused', status: '4xx', code: 'insufficient_credit' })).toBe(1)
  expect(calls({ outcome: 'released', status: '5xx', code: 'upstream_error' })).toBe(1)
  expect(valueOf(seen, 'tollgate_calls_total', { application: app.slug, mode: 'test' })).toBe(1)

  const money = { ...live, model: app.model }
  expect(answer.body.usage.prompt_tokens).toBeGreaterThan(0)
  expect(valueOf(seen, 'tollgate_tokens_total', { ...money, direction: 'input', kind: 'text' })).toBe(
    2 * answer.body.usage.prompt_tokens,
  )
  const charged = (await user.ledger())
    .filter((entry) => entry.requestId !== undefined)
    .reduce((total, entry) => total - Number(entry.amountUnits), 0)
  expect(charged).toBeGreaterThan(0)
  expect(valueOf(seen, 'tollgate_charged_micros_total', money)).toBe(charged)
  expect(valueOf(seen, 'tollgate_billed_micros_total', money)).toBe(charged)
  expect(valueOf(seen, 'tollgate_cost_micros_total', money)).toBe(charged)

  expect(valueOf(seen, 'tollgate_call_duration_seconds_count', { wire: 'chat', streamed: 'true' })).toBe(1)
  expect(valueOf(seen, 'tollgate_attempts_total', { provider: 'openai_compatible', outcome: '2xx' })).toBe(2)
  expect(valueOf(seen, 'tollgate_attempts_total', { provider: 'openai_compatible', outcome: '5xx' })).toBe(1)
  expect(
    valueOf(seen, 'tollgate_ledger_wait_seconds_count', { operation: 'reserve' }),
  ).toBeGreaterThanOrEqual(4)
  expect(valueOf(seen, 'tollgate_ledger_wait_seconds_count', { operation: 'settle' })).toBeGreaterThanOrEqual(
    3,
  )
  expect(valueOf(seen, 'tollgate_ledger_commit_operations_count')).toBeGreaterThan(0)
  expect(valueOf(seen, 'tollgate_store_up')).toBe(1)
  expect(valueOf(seen, 'tollgate_circuit_state')).toBe(0)
  expect(valueOf(seen, 'process_cpu_seconds_total')).toBeGreaterThan(0)
  expect(valueOf(seen, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
})

test('the metrics count the calls in flight', async () => {
  const arrived = arrival(app.provider)
  app.provider.enqueue({ chunks: ['a', 'b'], hang: 'mid' })
  const leaving = new AbortController()
  const call = app.call(user, { stream: true }, { signal: leaving.signal }).catch(() => null)
  await arrived
  const seen = await scrape()
  expect(valueOf(seen, 'tollgate_calls_in_flight')).toBe(1)
  expect(valueOf(seen, 'tollgate_holds_open')).toBe(1)
  expect(valueOf(seen, 'tollgate_holds_oldest_age_seconds')).toBeGreaterThanOrEqual(0)
  expect(valueOf(seen, 'tollgate_body_bytes')).toBeGreaterThan(0)
  expect(
    valueOf(seen, 'tollgate_provider_connections', { provider: 'openai_compatible', state: 'busy' }),
  ).toBe(1)
  leaving.abort()
  await call
  await eventually(async () => expect(valueOf(await scrape(), 'tollgate_drains')).toBe(1))
  app.provider.release()
})

test('every metric of the table is served with its type and labels, and no label value names an end user or a key', async () => {
  const { text } = await scrapeOf()
  const { samples, types } = readScrape(text)
  for (const { labels, name, type } of Object.values(metrics)) {
    expect([name, types.get(name)]).toEqual([name, type])
    const own = samples.filter((sample) => sample.name.replace(/_(?:bucket|sum|count)$/, '') === name)
    for (const sample of own) {
      const names = Object.keys(sample.labels).filter((label) => label !== 'le')
      expect([name, names.toSorted()]).toEqual([name, labels.toSorted()])
    }
  }
  for (const secret of [user.key, user.keyId, user.externalId, user.endUserId, server.token]) {
    expect(text).not.toContain(secret)
  }
  // A model name that a caller invented does not become a label value.
  expect(text).not.toContain('acme/nothing')
})

describe('access to the metrics', () => {
  const at = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    fetch(server.baseUrl + path, { headers }).then(answerOf)

  test('the metrics can be read with a token of the organization, but not with a credential that is limited to an application', async () => {
    expect((await at('/metrics')).body.error.code).toBe('missing_credential')
    expect((await at('/metrics', { authorization: 'Bearer sk_nothing' })).status).toBe(401)
    const ofKey = await at('/metrics', { authorization: `Bearer ${user.key}` })
    expect([ofKey.status, ofKey.body.error.code]).toEqual([401, 'wrong_credential_kind'])
    const bound = await app.api('POST', '/v1/application-keys', { label: 'bound', application: app.slug })
    const answer = await at('/metrics', { authorization: `Bearer ${bound.key ?? bound.token}` })
    expect([answer.status, answer.body.error.code]).toEqual([403, 'organization_credential_required'])
    expect((await control(server, 'POST', '/metrics')).status).toBe(405)
  })

  test('the metrics are only served on the control plane’s host', async () => {
    const headers = { authorization: `Bearer ${server.token}` }
    expect((await fetch(`${app.gateway}/metrics`, { headers })).status).toBe(404)
  })
})

test('the metrics need no token at an address that the operator allows', async () => {
  const open = await startServer({ environment: { TOLLGATE_METRICS_ADDRESSES: '127.0.0.0/8,::1' } })
  const { status, text } = await fetch(`${open.baseUrl}/metrics`).then(answerOf)
  expect([status, valueOf(readScrape(text), 'tollgate_store_up')]).toEqual([200, 1])
  await open.close()
})
