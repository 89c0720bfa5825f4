/** The payloads are defined in src/emitters/payload-format-by-emitter-kind.ts. */
interface KindFacts {
  /** Null if the customer must set the URL. */
  readonly url: string | null
  readonly mayNameUrl: boolean
  /** The field that contains the credential. Null if this server creates a secret and signs events with this secret. */
  readonly credential: 'apiToken' | 'apiKey' | null
  /** The field that contains the vendor's name for the kind of event. */
  readonly eventName: 'eventType' | 'eventName' | null
  /** The default ID of the customer to which the vendor assigns usage. */
  readonly customerId: CustomerId
  readonly isExtension: boolean
}

export const customerIds = ['end_user_id', 'organization_id', 'external_id'] as const
export type CustomerId = (typeof customerIds)[number]

/** The calls that an emitter receives: all calls, or only calls with usage that is billed on demand. */
export const emitterAmounts = ['all', 'on_demand'] as const
export type EmitterAmount = (typeof emitterAmounts)[number]

export const emitterKinds = {
  webhook: {
    url: null,
    mayNameUrl: true,
    credential: null,
    eventName: null,
    customerId: 'end_user_id',
    isExtension: false,
  },
  /** Metronome, with the documentation at https://docs.metronome.com/api-reference/usage/ingest-events. */
  vendor_a: {
    url: 'https://api.metronome.com/v1/ingest',
    mayNameUrl: false,
    credential: 'apiToken',
    eventName: 'eventType',
    customerId: 'end_user_id',
    isExtension: false,
  },
  /** Orb, with the documentation at https://docs.withorb.com/api-reference/event/ingest-events. */
  vendor_b: {
    url: 'https://api.withorb.com/v1/ingest',
    mayNameUrl: false,
    credential: 'apiKey',
    eventName: 'eventName',
    customerId: 'end_user_id',
    isExtension: false,
  },
  /**
   * Stripe, with the documentation at https://docs.stripe.com/api/v2/billing/meter-event-stream. Stripe identifies
   * customers only by its own IDs. An application that uses this emitter must therefore use Stripe's customer IDs as
   * the external IDs of its end users.
   */
  stripe: {
    url: 'https://meter-events.stripe.com/v2/billing/meter_event_stream',
    mayNameUrl: false,
    credential: 'apiKey',
    eventName: 'eventName',
    customerId: 'external_id',
    isExtension: true,
  },
  /** OpenMeter, with the documentation at https://openmeter.io/docs/api/cloud. Self-hosted servers have other URLs. */
  openmeter: {
    url: 'https://openmeter.cloud/api/v1/events',
    mayNameUrl: true,
    credential: 'apiToken',
    eventName: 'eventType',
    customerId: 'end_user_id',
    isExtension: true,
  },
} as const satisfies Readonly<Record<string, KindFacts>>

export type EmitterKind = keyof typeof emitterKinds

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table, in its order
export const emitterKindNames = Object.keys(emitterKinds) as [EmitterKind, ...EmitterKind[]]

export const usageRecorded = 'usage.recorded' as const

export function emitterKindFacts(kind: EmitterKind): KindFacts {
  return emitterKinds[kind]
}
