import * as z from 'zod'
import {
  customerIds,
  emitterAmounts,
  emitterKindFacts,
  emitterKindNames,
  usageRecorded,
} from '#domain/emitters/emitter-kinds.ts'
import type { Delivery, Emitter } from '#domain/emitters/emitter-records-and-ports.ts'
import { idOf, suffixMs } from '#domain/ids-sorted-by-time.ts'
import type { Context } from '#operations/kernel/operation-context.ts'
import { Count, text, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export const EmitterKindSchema = z.enum(emitterKindNames).meta({
  description:
    'Kind of the destination. `webhook`: an https endpoint of the application. `vendor_a`: Metronome. `vendor_b`: Orb. `stripe`: Stripe meter events. `openmeter`: OpenMeter.',
})

export const CustomerIdSchema = z.enum(customerIds).meta({
  description:
    'ID under which the destination records usage. For usage without an end user or external ID, the destination gets the ID of the organization.\n\n- `end_user_id`: the ID that Tollgate gave the end user, `eu_…`.\n- `organization_id`: the ID of the organization, for all usage.\n- `external_id`: the external ID of the end user.',
})

const amountWords =
  'Requests whose events are sent. `all`: every settled request. `on_demand`: only requests with usage billed on demand. With `on_demand`, the value of a Stripe meter event is the amount billed on demand.'

export const EmitterAmountSchema = z.enum(emitterAmounts).meta({ description: amountWords })

export const EmitterAmountOrAll = EmitterAmountSchema.default('all').meta({
  description: `${amountWords} Defaults to \`all\`.`,
})

export const EmitterName = text(128).meta({
  description: 'Label of the emitter.',
})

/** Accepts any text as a name, because the contract requires `unknown_event` for every other name. */
export const EmitterEvents = z
  .array(z.string().max(4_096))
  .min(1)
  .max(16)
  .meta({
    description: `Types of events to deliver. \`${usageRecorded}\` is the only type.`,
    examples: [[usageRecorded]],
  })

/** Returns the beginning of the first unknown name, or `(empty)`, for an error message. */
export function unknownEvent(events: readonly string[] | undefined): string | undefined {
  const unknown = events?.find((event) => event !== usageRecorded)
  return unknown === '' ? '(empty)' : unknown?.slice(0, 256)
}

/** A header value, which must not contain spaces. Pasted values often end with a space. */
export const EmitterCredential = z
  .string()
  .min(8)
  .max(4096)
  .regex(/^[\x21-\x7e]+$/, { error: 'must be printable ASCII without spaces' })

export const VendorEventName = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x21-\x7e]+$/, { error: 'must be printable ASCII without spaces' })

const ReplayView = z
  .object({
    from: Timestamp.meta({ description: 'Events of requests that arrived at or after this time are sent.' }),
    to: Timestamp.meta({ description: 'Events of requests that arrived before this time are sent.' }),
    state: z.enum(['running', 'done', 'stopped']).meta({
      description:
        'State of the replay. `stopped` means that a batch was not accepted. A replay of the same time range continues with that batch.',
    }),
    reachedAt: Timestamp.meta({
      description:
        'Progress of the replay: the events of requests that arrived up to this time have been sent.',
    }),
    events: Count.meta({ description: 'Number of events that were sent and accepted.' }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Reason why the replay stopped. Null if the replay did not stop.' }),
    startedAt: Timestamp.meta({ description: 'When the replay was requested.' }),
    updatedAt: Timestamp.meta({ description: 'When the replay last made progress.' }),
  })
  .meta({ id: 'EmitterReplay', description: 'A replay of recorded usage to an emitter, with its progress.' })

const MissedSpan = z
  .object({
    from: Timestamp.meta({ description: 'Time at which the first request of the range arrived.' }),
    to: Timestamp.meta({
      description: 'Time at which the last request of the range arrived, plus one millisecond.',
    }),
  })
  .meta({ id: 'MissedSpan', description: 'Time range of the requests whose events were not accepted.' })

export const EmitterView = z
  .object({
    id: z.string().meta({ description: 'ID of the emitter, `emt_…`.' }),
    kind: EmitterKindSchema,
    name: z.string().meta({ description: 'Label of the emitter.' }),
    enabled: z.boolean().meta({ description: 'Whether usage is delivered.' }),
    livemode: z
      .boolean()
      .meta({ description: 'Whether the emitter receives live requests. False means test requests.' }),
    destination: z.string().meta({ description: 'URL that events are posted to.' }),
    events: z
      .array(z.literal(usageRecorded))
      .meta({ description: 'Types of events that are delivered. `usage.recorded` is the only type.' }),
    customerId: CustomerIdSchema,
    amount: EmitterAmountSchema,
    eventType: z.string().nullable().meta({
      description: 'Event type at the vendor, for `vendor_a` and `openmeter`. Null for other kinds.',
    }),
    eventName: z.string().nullable().meta({
      description: 'Event name at the vendor, for `vendor_b` and `stripe`. Null for other kinds.',
    }),
    lastFour: z.string().meta({
      description: 'Last four characters of the credential, or of the signing secret of a webhook.',
    }),
    previousSecretEndsAt: Timestamp.nullable().meta({
      description:
        'Time until which deliveries are also signed with the previous secret. The time can be in the past. Null if the secret was never rotated.',
    }),
    delivered: Count.meta({ description: 'Number of events that were accepted, including replayed events.' }),
    notDelivered: Count.meta({ description: 'Number of events that were sent and not accepted.' }),
    dropped: Count.meta({
      description: 'Number of events that were never sent, because 10,000 events were already waiting.',
    }),
    lastDeliveredAt: Timestamp.nullable().meta({
      description: 'When a batch was last accepted. Null if no batch was accepted.',
    }),
    lastFailedAt: Timestamp.nullable().meta({
      description: 'When the delivery of a batch last failed. Null if every batch was accepted.',
    }),
    lastFailure: z
      .string()
      .nullable()
      .meta({ description: 'Reason why the delivery last failed. Null if every batch was accepted.' }),
    failingSince: Timestamp.nullable().meta({
      description:
        'Time of the first failed batch after the last accepted batch. Null if the last batch was accepted.',
    }),
    missed: MissedSpan.nullable().meta({
      description:
        'Time range of the requests whose events the destination has never accepted. The range can be sent to `emitters.replay` unchanged. Null if no event was missed.',
    }),
    replay: ReplayView.nullable().meta({ description: 'Last replay. Null if no replay was requested.' }),
    createdAt: Timestamp.meta({ description: 'When the emitter was added.' }),
  })
  .meta({ id: 'Emitter', description: 'A destination for usage events, without its secret.' })

export async function emitterView(
  emitter: Emitter,
  { store }: Pick<Context, 'store'>,
): Promise<z.output<typeof EmitterView>> {
  const counts = await store.emitters.counts(emitter.id)
  const replay = await store.emitters.replay(emitter.id)
  const { missedFrom, missedTo } = counts
  return {
    ...settingsOf(emitter),
    delivered: counts.delivered,
    notDelivered: counts.rejected,
    dropped: counts.dropped,
    lastDeliveredAt: counts.lastDeliveredAtMs,
    lastFailedAt: counts.lastFailedAtMs,
    lastFailure: counts.lastFailure,
    failingSince: counts.failingSinceMs,
    missed:
      missedFrom === null || missedTo === null
        ? null
        : { from: suffixMs(missedFrom) ?? 0, to: (suffixMs(missedTo) ?? 0) + 1 },
    replay: replay && {
      from: replay.fromMs,
      to: replay.toMs,
      state: replay.state,
      reachedAt: suffixMs(replay.through) ?? replay.fromMs,
      events: replay.sent,
      reason: replay.failure,
      startedAt: replay.startedAtMs,
      updatedAt: replay.updatedAtMs,
    },
  }
}

export function settingsOf(emitter: Emitter) {
  const { eventName: field } = emitterKindFacts(emitter.kind)
  return {
    id: emitter.id,
    kind: emitter.kind,
    name: emitter.name,
    enabled: emitter.isEnabled,
    livemode: emitter.mode === 'live',
    destination: emitter.destination,
    events: [usageRecorded],
    customerId: emitter.customerId,
    amount: emitter.amount,
    eventType: field === 'eventType' ? emitter.eventName : null,
    eventName: field === 'eventName' ? emitter.eventName : null,
    lastFour: emitter.lastFour,
    previousSecretEndsAt: emitter.formerSecretEndsAtMs,
    createdAt: emitter.createdAtMs,
  }
}

export const DeliveryView = z
  .object({
    id: z.string().meta({ description: 'ID of the batch, `usgb_…`.' }),
    cause: z.enum(['settled', 'replay', 'test']).meta({
      description:
        'Why the batch was sent. `settled`: requests settled. `replay`: recorded usage was sent again. `test`: a sample was sent.',
    }),
    sentAt: Timestamp.meta({ description: 'When the first attempt started.' }),
    events: Count.meta({ description: 'Number of events in the batch, 1 to 100.' }),
    usageRecordIds: z.array(z.string()).meta({ description: 'Usage records of the events, `ur_…`.' }),
    delivered: z.boolean().meta({ description: 'Whether the batch was accepted.' }),
    attempts: Count.meta({ description: 'Number of attempts, 1 to 3.' }),
    status: z.int().nullable().meta({
      description: 'HTTP status of the last attempt. Null if no response came.',
    }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Reason why the batch was not accepted. Null if the batch was accepted.' }),
    latencyMs: Count.meta({
      description: 'Time from the start of the first attempt to the end of the last one, in milliseconds.',
    }),
  })
  .meta({ id: 'EmitterDelivery', description: 'A batch that was sent, with its result.' })

export function deliveryView({
  attempts,
  callIds,
  createdAtMs,
  failure,
  httpStatus,
  id,
  isDelivered,
  latencyMs,
  reason,
}: Delivery): z.output<typeof DeliveryView> {
  return {
    id: idOf('usgb', id),
    cause: reason,
    sentAt: createdAtMs,
    events: callIds.length,
    usageRecordIds: callIds.map((callId) => idOf('ur', callId)),
    delivered: isDelivered,
    attempts,
    status: httpStatus,
    reason: failure,
    latencyMs,
  }
}
