/**
 * Checks the requests that emitters send to billing vendors against the vendors' published clients. Each event of an
 * emitter has the type of the vendor's client. If the vendor's client sends the same events, its request has the same
 * address, media type, credential and body as the emitter's request.
 */
import Metronome from '@metronome/sdk'
import { OpenMeter, type Event as OpenMeterEvent } from '@openmeter/sdk'
import Orb from 'orb-billing'
import { Stripe } from 'stripe'
import { describe, expect, test } from 'vitest'
import { emitterKinds, type EmitterKind } from '../../src/domain/emitters/emitter-kinds.ts'
import type { UsageEvent } from '../../src/domain/emitters/emitter-records-and-ports.ts'
import { deliver } from '../../src/emitters/deliver-batch.ts'

const secret = 'vendor-credential-0001'
const settledAtMs = Date.UTC(2026, 10, 22, 1, 2, 3, 4)
const timestamp = '2026-11-22T01:02:03.004Z'
const suffix = '01k00000000000000000000000'

const event: UsageEvent = {
  callId: suffix,
  endUserId: 'eu_1',
  externalId: 'cus_1',
  keyId: 'key_1',
  tags: [],
  payerId: null,
  target: { provider: 'openai', model: 'gpt-x' },
  streamed: true,
  inputTokens: 120,
  usage: { output: 30, cacheRead: 20, reasoning: 5 },
  tokenSource: 'provider_reported',
  costMicros: 1_234n,
  billedMicros: 2_345n,
  paid: {
    paidPlanMicros: 1_000n,
    paidWalletMicros: 600n,
    paidGiftMicros: 400n,
    onDemandMicros: 300n,
    overdraftMicros: 45n,
  },
  atMs: settledAtMs - 900,
  settledAtMs,
}

const properties = {
  provider: 'openai',
  model: 'gpt-x',
  streamed: true,
  input_tokens: 120,
  output_tokens: 30,
  cached_input_tokens: 20,
  reasoning_tokens: 5,
  provider_cost_micros: '1234',
  billed_amount_micros: '2345',
  paid_from_plan_micros: '1000',
  paid_from_wallet_micros: '600',
  given_micros: '400',
  on_demand_micros: '300',
  overdraft_micros: '45',
  request_id: `req_${suffix}`,
  api_key_id: 'key_1',
}

interface Seen {
  readonly url: string
  readonly authorization: string | null
  readonly contentType: string | null
  readonly version: string | null
  readonly body: unknown
}

function seenOf(url: string, headers: Headers, body: string): Seen {
  return {
    url,
    authorization: headers.get('authorization'),
    contentType: headers.get('content-type'),
    version: headers.get('stripe-version'),
    body: JSON.parse(body === '' ? '{}' : body),
  }
}

async function posted(kind: EmitterKind): Promise<Seen[]> {
  const seen: Seen[] = []
  const { customerId, eventName, url } = emitterKinds[kind]
  const emitter = {
    kind,
    eventName: eventName === null ? null : 'llm_call',
    customerId,
    amount: 'all' as const,
    organizationId: 'org_1',
    destination: url ?? '',
  }
  const poster = {
    async send(post: { url: string; headers: Readonly<Record<string, string>>; body: string }) {
      seen.push(seenOf(post.url, new Headers(post.headers), post.body))
      return { kind: 'answered' as const, status: 200, text: session }
    },
    close() {},
  }
  const signal = new AbortController().signal
  await deliver(
    { id: 'batch', emitter, events: [event] },
    { current: secret, former: null },
    {
      poster,
      nowMs: () => settledAtMs,
      signal,
    },
  )
  return seen
}

const session = JSON.stringify({
  object: 'v2.billing.meter_event_session',
  id: 'mes_1',
  authentication_token: 'token_of_the_session',
  created: timestamp,
  expires_at: timestamp,
  livemode: false,
})

/** The recorder returns a response that the client accepts. */
function recorder(answer: string): { readonly seen: Seen[]; readonly fetch: typeof fetch } {
  const seen: Seen[] = []
  return {
    seen,
    async fetch(input, init) {
      const request = new Request(input, init)
      seen.push(seenOf(request.url, request.headers, await request.text()))
      return new Response(answer, { status: 200, headers: { 'content-type': 'application/json' } })
    },
  }
}

describe('an event', () => {
  test('an event for vendor_a has the format of Metronome', async () => {
    const usage: Metronome.V1.UsageIngestParams.Usage[] = [
      { transaction_id: `ur_${suffix}`, customer_id: 'eu_1', event_type: 'llm_call', timestamp, properties },
    ]
    const { fetch, seen } = recorder('{}')
    await new Metronome({ bearerToken: secret, fetch, maxRetries: 0 }).v1.usage.ingest({ usage })
    expect(await posted('vendor_a')).toEqual(seen)
  })

  test('an event for vendor_b has the format of Orb', async () => {
    const events: Orb.EventIngestParams.Event[] = [
      {
        idempotency_key: `ur_${suffix}`,
        external_customer_id: 'eu_1',
        event_name: 'llm_call',
        timestamp,
        properties,
      },
    ]
    const { fetch, seen } = recorder('{"validation_failed":[]}')
    await new Orb({ apiKey: secret, fetch, maxRetries: 0 }).events.ingest({ events })
    expect(await posted('vendor_b')).toEqual(seen)
  })

  test('an event for stripe is a meter event, sent with the token of a session that the emitter creates first', async () => {
    const events: Parameters<Stripe['v2']['billing']['meterEventStream']['create']>[0]['events'] = [
      {
        event_name: 'llm_call',
        identifier: `ur_${suffix}`,
        timestamp,
        payload: {
          stripe_customer_id: 'cus_1',
          value: '2345',
          ...Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, String(value)])),
        },
      },
    ]
    const { fetch, seen } = recorder(session)
    const httpClient = Stripe.createFetchHttpClient(fetch)
    const opened = await new Stripe(secret, { httpClient }).v2.billing.meterEventSession.create()
    await new Stripe(opened.authentication_token, { httpClient }).v2.billing.meterEventStream.create({
      events,
    })
    expect(await posted('stripe')).toEqual(seen)
  })

  test('an event for openmeter is a CloudEvent', async () => {
    const events: OpenMeterEvent[] = [
      {
        specversion: '1.0',
        id: `ur_${suffix}`,
        source: 'tollgate',
        type: 'llm_call',
        subject: 'eu_1',
        time: new Date(settledAtMs),
        datacontenttype: 'application/json',
        data: properties,
      },
    ]
    const { fetch, seen } = recorder('{}')
    const client = new OpenMeter({ baseUrl: 'https://openmeter.cloud', apiKey: secret, fetch })
    await client.events.ingest(events)
    expect(await posted('openmeter')).toEqual(seen)
  })
})
