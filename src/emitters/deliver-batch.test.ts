import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { UsageEvent } from '#domain/emitters/emitter-records-and-ports.ts'
import { CustomerUrlPost } from '#providers/customer-url-post.ts'
import {
  eventsIn,
  receiverConnector,
  startUsageReceiver,
  type UsageReceiver,
} from '#tests/support/receiver-of-usage-events.ts'
import { usageEvent } from '#tests/fixtures/usage-event.ts'
import { verifyWebhook } from '#sdk/webhook.ts'
import { deliver, type Poster, retriedStatuses } from './deliver-batch.ts'
import { secretsOf } from './decrypt-emitter-secrets.ts'
import { customerOf, payloadShapes, signatureOf, type Batch } from './payload-format-by-emitter-kind.ts'

let receiver: UsageReceiver
let poster: Poster
let pauses: number[]
let nowMs: number
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

beforeAll(async () => {
  receiver = await startUsageReceiver()
  receiver.secrets.set('/hook', secret)
  // The receiver's connector connects without DNS look-ups.
  const resolve = () => {}
  poster = new CustomerUrlPost({
    resolve,
    connector: receiverConnector(receiver.port),
    isUnchecked: true,
    loopName: 'tollgate-test',
    isOwnPeer: () => false,
  })
})
afterAll(async () => {
  poster.close()
  await receiver.close()
})
beforeEach(() => {
  pauses = []
  nowMs = Date.UTC(2026, 10, 22)
})

const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'

const event = usageEvent({
  costMicros: 9_007_199_254_740_993n,
  billedMicros: 12n,
  paid: {
    paidPlanMicros: 1n,
    paidGiftMicros: 2n,
    paidWalletMicros: 3n,
    onDemandMicros: 4n,
    overdraftMicros: 5n,
  },
  atMs: Date.UTC(2026, 10, 22, 1, 2, 3, 4),
  settledAtMs: Date.UTC(2026, 10, 22, 1, 2, 3, 4),
})
const batch: Batch = {
  id: 'batch',
  emitter: {
    kind: 'webhook',
    eventName: null,
    customerId: 'end_user_id',
    amount: 'all',
    organizationId: 'org_1',
    destination: 'https://hooks.receiver.test/hook',
  },
  events: [event],
}

async function delivered(by: Poster = poster, one = batch, former: string | null = null) {
  const from = receiver.received.length
  const delivery = await deliver(
    one,
    { current: secret, former },
    {
      poster: by,
      nowMs: () => nowMs,
      signal: new AbortController().signal,
      async pause(ms) {
        pauses.push(ms)
        nowMs += 60_000
      },
    },
  )
  return { delivery, received: receiver.received.slice(from) }
}

function answering(...statuses: number[]): void {
  receiver.answer = (_, response) => void response.writeHead(statuses.shift() ?? 200).end()
}

test('billing vendors receive the payment sources of a charge; a meter for on-demand usage receives the amount billed on demand', () => {
  const emitter = { ...batch.emitter, kind: 'stripe', eventName: 'usage' } as const
  const bodyOf = (amount: 'all' | 'on_demand', paid: UsageEvent['paid'] = event.paid) =>
    JSON.stringify(
      payloadShapes.stripe.body({ ...batch, emitter: { ...emitter, amount }, events: [{ ...event, paid }] }),
    )
  const parts = {
    paid_from_plan_micros: '1',
    given_micros: '2',
    paid_from_wallet_micros: '3',
    on_demand_micros: '4',
    overdraft_micros: '5',
  }
  const payloadOf = (text: string) => JSON.parse(text).events[0].payload
  expect(payloadOf(bodyOf('all'))).toMatchObject({ value: '12', ...parts })
  expect(payloadOf(bodyOf('on_demand'))).toMatchObject({ value: '4', ...parts })
  // Such a record was written before charges were stored by payment source.
  expect(bodyOf('all', null)).not.toContain('on_demand_micros')
})

test('an event contains the tags of its request, as a list for webhooks and as a text for vendors', () => {
  const tagged = { ...batch, events: [{ ...event, tags: ['batch', 'search'], payerId: 'eu_payer' }] }
  const emitter = { ...batch.emitter, kind: 'vendor_b', eventName: 'usage' } as const
  expect(payloadShapes.webhook.body(tagged)).toMatchObject({ events: [{ tags: ['batch', 'search'] }] })
  expect(payloadShapes.vendor_b.body({ ...tagged, emitter })).toMatchObject({
    events: [{ properties: { tags: 'batch,search' } }],
  })
  expect(JSON.stringify(payloadShapes.webhook.body(batch))).not.toContain('tags')
})

describe('how the HTTP status affects a delivery', () => {
  test('a delivery is retried after exactly the seven HTTP statuses that the documentation lists', () => {
    expect([...retriedStatuses]).toEqual([408, 425, 429, 500, 502, 503, 504])
  })

  test.each([...retriedStatuses])(
    'if every attempt returns status %d, a delivery is retried after 200 and 400 ms and then abandoned',
    async (status) => {
      answering(status, status, status, 200)
      const { delivery, received } = await delivered()
      expect(pauses).toEqual([200, 400])
      expect(delivery).toMatchObject({
        isDelivered: false,
        attempts: 3,
        httpStatus: status,
        failure: expect.stringContaining(`it returned ${status}`),
        callIds: [event.callId],
      })
      expect(received.length).toBe(3)
    },
  )

  test.each([...retriedStatuses])(
    'a delivery with the status %d and then 200 is successful',
    async (status) => {
      answering(status, 200)
      expect((await delivered()).delivery).toMatchObject({ isDelivered: true, attempts: 2, failure: null })
    },
  )

  test.each([
    300, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 409, 410, 413, 415, 422, 501, 505, 507,
    511,
  ])('after the status %d, a delivery ends without a retry', async (status) => {
    answering(status, 200)
    const { delivery, received } = await delivered()
    expect(delivery).toMatchObject({ isDelivered: false, attempts: 1, httpStatus: status })
    expect(received.length).toBe(1)
    expect(pauses).toEqual([])
  })

  test.each([200, 201, 202, 204, 299])('a delivery with the status %d counts as accepted', async (status) => {
    answering(status)
    expect((await delivered()).delivery).toMatchObject({ isDelivered: true, attempts: 1 })
  })
})

test('each delivery attempt has the same body and a new signature with the time of the attempt', async () => {
  answering(503, 503, 200)
  const { received } = await delivered()
  expect(received.every(({ isSigned }) => isSigned === true)).toBe(true)
  expect(new Set(received.map(({ body }) => body)).size).toBe(1)
  expect(new Set(received.map(({ headers }) => headers['svc-idempotency-key']))).toEqual(
    new Set(['usgb_batch']),
  )
  const signatures = received.map(({ headers }) => String(headers['svc-signature']))
  expect(new Set(signatures).size).toBe(3)
  expect(signatures.map((text) => Number(/t=(\d+)/.exec(text)?.[1]))).toEqual(
    [0, 60, 120].map((seconds) => Date.UTC(2026, 10, 22) / 1_000 + seconds),
  )
  // A receiver whose clock is wrong by an hour must reject the time stamp, not the signature.
  for (const { body, headers } of received) {
    const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['svc-signature'])) ?? []
    expect(createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')).toBe(v1)
  }
})

/**
 * Verifies a signature as described in
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md ("Verifying signatures").
 * Base64 is decoded strictly. If several signatures are sent, one matching signature is enough.
 */
function standardWebhooksTakes(
  { body, headers }: { readonly body: string; readonly headers: IncomingHttpHeaders },
  key: string,
): boolean {
  const encoded = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(key)?.[1]
  if (encoded === undefined) throw new Error('the secret is not whsec_ and base64')
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (!/^\d+$/.test(String(timestamp)) || String(id).includes('.')) return false
  const mac = createHmac('sha256', Buffer.from(encoded, 'base64')).update(
    `${String(id)}.${String(timestamp)}.${body}`,
  )
  const expected = mac.digest('base64')
  return String(signatures)
    .split(' ')
    .some((one) => one === `v1,${expected}`)
}

test('each delivery attempt is also signed by the rules of Standard Webhooks, with the ID of the batch', async () => {
  answering(503, 200)
  const { received } = await delivered()
  expect(received.map((one) => standardWebhooksTakes(one, secret))).toEqual([true, true])
  expect(received.some((one) => standardWebhooksTakes(one, other))).toBe(false)
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(['usgb_batch', 'usgb_batch'])
  expect(received.map(({ headers }) => Number(headers['webhook-timestamp']))).toEqual(
    [0, 60].map((seconds) => Date.UTC(2026, 10, 22) / 1_000 + seconds),
  )
})

test('the signature of the published Standard Webhooks test vector equals the computed signature', () => {
  const body = '{"test": 2432232314}'
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  }
  expect(standardWebhooksTakes({ body, headers }, secret)).toBe(true)
})

test('during a rotation, each delivery is signed with both secrets, in both signature headers', async () => {
  answering(200)
  const { received } = await delivered(poster, batch, other)
  const [one] = received
  if (!one) throw new Error('nothing arrived')
  expect(one.headers['svc-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
  expect(String(one.headers['webhook-signature']).split(' ')).toHaveLength(2)
  for (const key of [secret, other]) {
    expect(standardWebhooksTakes(one, key)).toBe(true)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const read = await verifyWebhook(one.body, String(one.headers['svc-signature']), key, { now: nowMs })
    expect(read.id).toBe('usgb_batch')
  }
  const foreign = `whsec_${'A'.repeat(32)}`
  expect(standardWebhooksTakes(one, foreign)).toBe(false)
  await expect(
    verifyWebhook(one.body, String(one.headers['svc-signature']), foreign, { now: nowMs }),
  ).rejects.toMatchObject({ reason: 'wrong_signature' })
})

test('billing vendors never receive the signature headers or the previous secret', async () => {
  answering(200)
  const emitter = { ...batch.emitter, kind: 'vendor_a', eventName: 'usage' } as const
  const { received } = await delivered(poster, { ...batch, emitter }, other)
  const names = Object.keys(received[0]?.headers ?? {})
  expect(names.filter((name) => /^(svc|webhook)-/.test(name))).toEqual([])
  expect(JSON.stringify(received[0])).not.toContain(other)
})

test('deliveries are signed with the previous secret until the exact millisecond of its expiry', () => {
  const emitter = {
    id: 'emt_1',
    organizationId: 'org_1',
    sealedSecret: 'new',
    formerSealedSecret: 'old',
    formerSecretEndsAtMs: nowMs + 1,
  }
  const openSecret = (sealed: string, { id }: { readonly id: string }): string => `${sealed} of ${id}`
  const secretsAt = (atMs: number, more: object = {}) =>
    secretsOf({ ...emitter, ...more }, { nowMs: () => atMs, openSecret })
  expect(secretsAt(nowMs)).toEqual({ current: 'new of emt_1', former: 'old of emt_1' })
  expect(secretsAt(nowMs + 1)).toEqual({ current: 'new of emt_1', former: null })
  expect(secretsAt(nowMs, { formerSealedSecret: null }).former).toBeNull()
  expect(secretsAt(nowMs, { formerSecretEndsAtMs: null }).former).toBeNull()
})

test('a delivery is retried after a broken connection', async () => {
  let count = 0
  receiver.answer = (_, response) => {
    count += 1
    if (count < 3) response.destroy()
    else response.writeHead(200).end()
  }
  expect((await delivered()).delivery).toMatchObject({ isDelivered: true, attempts: 3 })
})

test('a delivery to a receiver that never responds ends after three attempts', async () => {
  receiver.answer = () => {}
  const impatient: Poster = { send: (post) => poster.send({ ...post, timeoutMs: 100 }), close() {} }
  expect((await delivered(impatient)).delivery).toMatchObject({
    isDelivered: false,
    attempts: 3,
    httpStatus: null,
    failure: 'no response within 0.1 s',
  })
})

test('a delivery to an address in a private network fails with a configuration error and is not retried', async () => {
  const guarded = new CustomerUrlPost({
    loopName: 'tollgate-test',
    isOwnPeer: () => false,
    resolve: (_, callback) => callback(null, [{ address: '10.1.2.3', family: 4 }]),
  })
  const { delivery } = await delivered(guarded)
  expect(delivery).toMatchObject({ isDelivered: false, attempts: 1, httpStatus: null })
  expect(delivery?.failure).toContain('private network')
  expect(pauses).toEqual([])
})

test('a redirect to an address of a private network is not followed', async () => {
  receiver.answer = (_, response) => void response.writeHead(302, { location: 'https://10.0.0.1/' }).end()
  expect((await delivered()).delivery).toMatchObject({
    isDelivered: false,
    attempts: 1,
    failure: 'it returned 302, and redirects are not followed',
  })
})

test('if an abort signal ends a delivery, the outcome of the delivery is unknown', async () => {
  receiver.answer = () => {}
  const ending = new AbortController()
  const under = deliver(
    batch,
    { current: secret, former: null },
    { poster, nowMs: () => nowMs, signal: ending.signal },
  )
  ending.abort()
  expect(await under).toBeNull()
})

test('a hundred events are sent as one batch', async () => {
  answering(200)
  const events = Array.from({ length: 100 }, (_, i) => ({ ...event, callId: `call-${i}` }))
  const { received } = await delivered(poster, { ...batch, events })
  expect(received.length).toBe(1)
  expect(eventsIn({ body: received[0]?.body ?? '' }).length).toBe(100)
})

test('a delivery is signed as the documentation specifies', () => {
  const expected = createHmac('sha256', 'whsec_x').update('1700000000.{"a":1}').digest('hex')
  expect(signatureOf('{"a":1}', 'whsec_x', 1_700_000_000_999)).toBe(`t=1700000000,v1=${expected}`)
})

test('usage without an end user is reported under the organization’s ID, whichever customer ID the emitter uses', () => {
  for (const customerId of ['end_user_id', 'external_id', 'organization_id'] as const) {
    expect(customerOf({ endUserId: null, externalId: null }, { customerId, organizationId: 'org_1' })).toBe(
      'org_1',
    )
  }
  expect(customerOf(event, { customerId: 'end_user_id', organizationId: 'org_1' })).toBe('eu_1')
  expect(customerOf(event, { customerId: 'external_id', organizationId: 'org_1' })).toBe('person-1')
  expect(customerOf(event, { customerId: 'organization_id', organizationId: 'org_1' })).toBe('org_1')
})
