import type { EmittersAddInput } from '#sdk/generated/emitters.ts'
import type { Emitter } from '#sdk/generated/types.ts'
import type { Tone } from '#web/ui/status-notes-and-placeholders.tsx'

export type Kind = EmittersAddInput['kind']

interface KindFacts {
  readonly name: string
  readonly about: string
  /** `none` means that the vendor's URL is fixed. */
  readonly url: 'needed' | 'optional' | 'none'
  /** Null if the emitter signs events with a generated secret instead. */
  readonly credential: readonly [field: 'apiToken' | 'apiKey', label: string] | null
  /** The field with the vendor's event name, and its label. */
  readonly event: readonly [field: 'eventType' | 'eventName', label: string] | null
}

export const kinds: Readonly<Record<Kind, KindFacts>> = {
  webhook: {
    name: 'Webhook',
    about: 'Posts events to your https URL, signed with a secret that is shown once.',
    url: 'needed',
    credential: null,
    event: null,
  },
  vendor_a: {
    name: 'Metronome',
    about: 'Sends events to Metronome. In the API, this kind is vendor_a.',
    url: 'none',
    credential: ['apiToken', 'API token'],
    event: ['eventType', 'Event type'],
  },
  vendor_b: {
    name: 'Orb',
    about: 'Sends events to Orb. In the API, this kind is vendor_b.',
    url: 'none',
    credential: ['apiKey', 'API key'],
    event: ['eventName', 'Event name'],
  },
  stripe: {
    name: 'Stripe',
    about: 'Sends meter events to Stripe. Your end user IDs must be Stripe customer IDs.',
    url: 'none',
    credential: ['apiKey', 'API key'],
    event: ['eventName', 'Meter event name'],
  },
  openmeter: {
    name: 'OpenMeter',
    about: 'Sends events to OpenMeter Cloud or to your own OpenMeter server.',
    url: 'optional',
    credential: ['apiToken', 'API token'],
    event: ['eventType', 'Meter event type'],
  },
}

export const kindNames = Object.keys(kinds) as readonly Kind[]

/** An unknown kind keeps its API name. */
export const kindWords = (kind: string): string => kinds[kind as Kind]?.name ?? kind

export const customerIds = [
  ['end_user_id', 'Tollgate ID of the end user (eu_…)'],
  ['external_id', 'Your ID for the end user'],
  ['organization_id', 'ID of your organization, the same for all end users'],
] as const

export const customerIdWords = (id: string): string => customerIds.find(([one]) => one === id)?.[1] ?? id

export function stateOf({
  enabled,
  failingSince,
  lastDeliveredAt,
}: Pick<Emitter, 'enabled' | 'failingSince' | 'lastDeliveredAt'>): {
  readonly tone: Tone
  readonly words: string
} {
  if (!enabled) return { tone: 'neutral', words: 'Off' }
  if (failingSince !== null) return { tone: 'negative', words: 'Failing' }
  return lastDeliveredAt === null
    ? { tone: 'neutral', words: 'Waiting for a request' }
    : { tone: 'positive', words: 'Delivering' }
}
