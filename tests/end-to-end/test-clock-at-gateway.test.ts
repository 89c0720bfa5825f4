import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  control,
  makeApplication,
  startServer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

const dayMs = 86_400_000
/** The body is so large that the server checks whether the end user can pay before it receives the whole body. */
const largeMessages = [{ role: 'user', content: 'word '.repeat(20_000) }]

let server: LocalServer
let app: Application

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  await app.api('PUT', '/v1/bundles/pro', { displayName: 'Pro', priceMicros: '30000000' })
  await app.api('POST', '/v1/bundles/pro/allow', { models: ['acme/*'] })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
async function inTest(method: string, path: string, body?: unknown): Promise<any> {
  const headers = { 'x-svc-app': app.slug, 'x-svc-mode': 'test' }
  const answer = await control(server, method, path, body, headers)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

async function advanceDays(days: number): Promise<number> {
  const { now } = await app.api('GET', '/v1/test-clock')
  const toMs = Date.parse(now) + days * dayMs
  await app.api('POST', '/v1/test-clock/advance', { to: new Date(toMs).toISOString() })
  return toMs
}

const outcomeOf = async (key: string): Promise<string> => {
  const { body, status } = await app.call({ key })
  return status === 200 ? 'answered' : body.error.code
}

test('when the test clock passes the expiry of a test key and a live key, only the test key is rejected', async () => {
  const expiresAt = new Date(Date.now() + 30 * dayMs).toISOString()
  const live = await app.newUser({ balanceMicros: 1_000_000n, expiresAt })
  const { key } = await inTest('POST', '/v1/keys', { endUserId: live.externalId, livemode: false, expiresAt })
  await inTest('POST', '/v1/grants', { endUsers: [live.externalId], amountUnits: '1000000', reason: 'x' })
  expect([await outcomeOf(key), await outcomeOf(live.key)]).toEqual(['answered', 'answered'])
  const toMs = await advanceDays(31)
  expect([await outcomeOf(key), await outcomeOf(live.key)]).toEqual(['key_expired', 'answered'])
  const [refused] = (await inTest('GET', '/v1/requests?limit=1')).data
  expect(refused.errorCode).toBe('key_expired')
  expect(Date.parse(refused.createdAt ?? refused.at) - toMs).toBeGreaterThanOrEqual(0)
})

test('a canceled plan that has ended by the test clock serves no calls until another plan is assigned', async () => {
  const { externalId } = await app.newUser({ bundle: 'pro' })
  const { key } = await inTest('POST', '/v1/keys', { endUserId: externalId, livemode: false })
  await inTest('POST', '/v1/grants', { endUsers: [externalId], amountUnits: '1000000', reason: 'x' })
  await inTest('POST', `/v1/end-users/${externalId}/subscription/cancel`, { atPeriodEnd: true })
  expect(await outcomeOf(key)).toBe('answered')
  await advanceDays(32)
  expect(await outcomeOf(key)).toBe('model_not_allowed')
  await inTest('PUT', `/v1/end-users/${externalId}/subscription`, { bundle: 'pro' })
  expect(await outcomeOf(key)).toBe('answered')
})

test('overage stops when an invoice is past due by the test clock, and is available again after the invoice is paid', async () => {
  const { externalId } = await app.newUser({ bundle: 'pro' })
  const { key } = await inTest('POST', '/v1/keys', { endUserId: externalId, livemode: false })
  await inTest('POST', '/v1/subscription/on-demand', { endUserId: externalId, enabled: true })
  expect(await outcomeOf(key)).toBe('answered')
  await advanceDays(8)
  expect(await outcomeOf(key)).toBe('insufficient_credit')
  const { data } = await inTest('GET', `/v1/invoices?endUserId=${externalId}&status=past_due`)
  const [invoice] = data
  const due = new Date(invoice.dueAt).toLocaleDateString('en-US', {
    month: 'long',
    day: 'numeric',
    timeZone: 'UTC',
  })
  const refusals = await Promise.all([app.call({ key }), app.call({ key }, { messages: largeMessages })])
  for (const { body, headers } of refusals) {
    expect(body.error).toMatchObject({
      limitSource: 'unpaid_invoice',
      invoiceId: invoice.id,
      invoiceAmountMicros: '30000000',
      invoiceDueAt: invoice.dueAt,
    })
    expect(body.error.message).toContain(
      `On-demand billing is blocked until invoice ${invoice.id} ($30.00, due ${due}) is paid.`,
    )
    const { refusal } = await inTest('GET', `/v1/requests/${headers.get('x-request-id')}`)
    expect(refusal).toMatchObject({
      invoiceId: invoice.id,
      fixOperation: 'invoices.pay',
      message: body.error.message,
    })
  }
  for (const { id } of data) await inTest('POST', `/v1/invoices/${id}/pay`)
  expect(await outcomeOf(key)).toBe('answered')
})
