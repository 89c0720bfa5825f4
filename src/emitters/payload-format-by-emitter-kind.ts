/** The body is created once per batch, so every attempt sends the same body. Headers are created for each attempt. */
import { createHmac } from 'node:crypto'
import type { EmitterKind } from '#domain/emitters/emitter-kinds.ts'
import { usageRecorded } from '#domain/emitters/emitter-kinds.ts'
import type { EnabledEmitter, UsageEvent } from '#domain/emitters/emitter-records-and-ports.ts'
import { paidNames } from '#domain/sums-of-request-figures.ts'
import { figures } from '#domain/reports/table-of-request-figures.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { formatMicros } from '#money/amount.ts'

export interface Batch {
  /** Suffix of the batch ID. */
  readonly id: string
  readonly emitter: Pick<
    EnabledEmitter,
    'kind' | 'eventName' | 'customerId' | 'organizationId' | 'destination' | 'amount'
  >
  readonly events: readonly UsageEvent[]
}

interface Shape {
  readonly contentType: string
  readonly body: (batch: Batch) => unknown
  /** @param secret the vendor's credential, or the signing secret */
  readonly headers: (attempt: {
    readonly batchId: string
    readonly body: string
    readonly secret: string
    readonly former: string | null
    readonly nowMs: number
  }) => Readonly<Record<string, string>>
  /** A request that is sent before each attempt, and whose response contains the credential for the attempt. */
  readonly session?: {
    readonly url: string
    readonly headers: (secret: string) => Readonly<Record<string, string>>
    readonly secretIn: (answer: unknown) => string | null
  }
}

/** The API version of Stripe's official client, with which the tests check the format. */
const stripeVersion = '2026-10-28.endive'

export const payloadShapes: Readonly<Record<EmitterKind, Shape>> = {
  webhook: {
    contentType: 'application/json',
    body: ({ emitter, events, id }) => ({
      id: idOf('usgb', id),
      type: usageRecorded,
      events: events.map((event) => webhookEvent(event, emitter)),
    }),
    headers: ({ batchId, body, former, nowMs, secret }) => ({
      'svc-signature': signatureOf(body, secret, nowMs, former),
      'svc-idempotency-key': idOf('usgb', batchId),
      ...standardHeaders({ id: idOf('usgb', batchId), body, nowMs }, [secret, former]),
    }),
  },
  // The body is an array without an envelope, with at most 100 events (docs/reference/events.md "Vendors").
  vendor_a: {
    contentType: 'application/json',
    body: ({ emitter, events }) =>
      events.map((event) => ({
        transaction_id: idOf('ur', event.callId),
        customer_id: customerOf(event, emitter),
        event_type: emitter.eventName,
        timestamp: timeOf(event),
        properties: propertiesOf(event),
      })),
    headers: ({ secret }) => bearer(secret),
  },
  vendor_b: {
    contentType: 'application/json',
    body: ({ emitter, events }) => ({
      events: events.map((event) => ({
        idempotency_key: idOf('ur', event.callId),
        external_customer_id: customerOf(event, emitter),
        event_name: emitter.eventName,
        timestamp: timeOf(event),
        properties: propertiesOf(event),
      })),
    }),
    headers: ({ secret }) => bearer(secret),
  },
  stripe: {
    contentType: 'application/json',
    body: ({ emitter, events }) => ({
      events: events.map((event) => ({
        event_name: emitter.eventName,
        identifier: idOf('ur', event.callId),
        timestamp: timeOf(event),
        // Stripe meters read these keys by default. All values are strings.
        payload: {
          stripe_customer_id: customerOf(event, emitter),
          value: formatMicros(valueOf(event, emitter)),
          ...textsOf(propertiesOf(event)),
        },
      })),
    }),
    headers: ({ secret }) => ({ ...bearer(secret), 'stripe-version': stripeVersion }),
    session: {
      url: 'https://api.stripe.com/v2/billing/meter_event_session',
      headers: (secret) => ({ ...bearer(secret), 'stripe-version': stripeVersion }),
      secretIn: (answer) =>
        typeof answer === 'object' &&
        answer !== null &&
        'authentication_token' in answer &&
        typeof answer.authentication_token === 'string'
          ? answer.authentication_token
          : null,
    },
  },
  openmeter: {
    contentType: 'application/cloudevents-batch+json',
    body: ({ emitter, events }) =>
      events.map((event) => ({
        specversion: '1.0',
        id: idOf('ur', event.callId),
        source: 'tollgate',
        type: emitter.eventName,
        subject: customerOf(event, emitter),
        time: timeOf(event),
        datacontenttype: 'application/json',
        data: propertiesOf(event),
      })),
    headers: ({ secret }) => bearer(secret),
  },
}

/**
 * Returns `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>`. The HMAC key is the whole secret, including
 * `whsec_`. During the grace period of a rotation, a second `v1` value is computed with the previous secret.
 */
export function signatureOf(
  body: string,
  secret: string,
  nowMs: number,
  former: string | null = null,
): string {
  const t = Math.floor(nowMs / 1_000)
  const v1 = (key: string) => `,v1=${createHmac('sha256', key).update(`${t}.${body}`).digest('hex')}`
  return `t=${t}${v1(secret)}${former === null ? '' : v1(former)}`
}

/**
 * The signature headers of Standard Webhooks (docs/reference/standard-webhooks.md). The HMAC key is the decoded base64
 * text after `whsec_`. Older secrets contain characters of base64url, which Node also decodes.
 */
function standardHeaders(
  { body, id, nowMs }: { readonly id: string; readonly body: string; readonly nowMs: number },
  secrets: readonly (string | null)[],
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1_000))
  const signatures = secrets.flatMap((secret) => {
    if (secret === null) return []
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

export function customerOf(
  { endUserId, externalId }: Pick<UsageEvent, 'endUserId' | 'externalId'>,
  { customerId, organizationId }: Pick<EnabledEmitter, 'customerId' | 'organizationId'>,
): string {
  switch (customerId) {
    case 'organization_id':
      return organizationId
    case 'external_id':
      return externalId ?? organizationId
    case 'end_user_id':
      return endUserId ?? organizationId
    default:
      return customerId satisfies never
  }
}

function webhookEvent(event: UsageEvent, { organizationId }: Batch['emitter']): object {
  const id = idOf('ur', event.callId)
  return {
    idempotencyKey: id,
    usageRecordId: id,
    organizationId,
    endUserId: event.endUserId,
    apiKeyId: event.keyId,
    ...(event.tags.length > 0 && { tags: event.tags }),
    ...(event.payerId !== null && { payerId: event.payerId }),
    requestId: idOf('req', event.callId),
    provider: event.target.provider,
    model: event.target.model,
    streamed: event.streamed,
    tokens: {
      inputTokens: event.inputTokens,
      outputTokens: event.usage.output,
      cachedInputTokens: event.usage.cacheRead,
      reasoningTokens: event.usage.reasoning,
      tokenCountSource: event.tokenSource,
    },
    providerCostMicros: formatMicros(event.costMicros),
    billedAmountMicros: formatMicros(event.billedMicros),
    ...paidOf(event, 'wire'),
  }
}

/** Empty for a record that was written before charges were stored by payment source. */
function paidOf({ paid }: UsageEvent, names: 'wire' | 'property'): Readonly<Record<string, string>> {
  if (paid === null) return {}
  return Object.fromEntries(paidNames.map((name) => [figures[name][names], formatMicros(paid[name])]))
}

/** The amount, in micros, that a meter of Stripe adds up. */
function valueOf({ billedMicros, paid }: UsageEvent, { amount }: Batch['emitter']): bigint {
  return amount === 'all' ? billedMicros : (paid?.onDemandMicros ?? 0n)
}

function propertiesOf(event: UsageEvent): Readonly<Record<string, string | number | boolean>> {
  return {
    provider: event.target.provider,
    model: event.target.model,
    streamed: event.streamed,
    input_tokens: event.inputTokens,
    output_tokens: event.usage.output,
    cached_input_tokens: event.usage.cacheRead,
    reasoning_tokens: event.usage.reasoning,
    provider_cost_micros: formatMicros(event.costMicros),
    billed_amount_micros: formatMicros(event.billedMicros),
    ...paidOf(event, 'property'),
    request_id: idOf('req', event.callId),
    ...(event.keyId !== null && { api_key_id: event.keyId }),
    // Vendors accept no lists. No tag contains a comma.
    ...(event.tags.length > 0 && { tags: event.tags.join(',') }),
    ...(event.payerId !== null && { payer_id: event.payerId }),
  }
}

function textsOf(properties: Readonly<Record<string, string | number | boolean>>): Record<string, string> {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, String(value)]))
}

function timeOf({ settledAtMs }: UsageEvent): string {
  return new Date(settledAtMs).toISOString()
}

function bearer(secret: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${secret}` }
}
