import * as z from 'zod'
import {
  customerIds,
  emitterAmounts,
  emitterKindFacts,
  emitterKindNames,
  usageRecorded,
} from '#domain/emitter-kinds.ts'
import type { Delivery, Emitter } from '#domain/emitters.ts'
import { idOf, suffixMs } from '#domain/id.ts'
import type { Context } from '#operations/context.ts'
import { Count, text, Timestamp } from '#operations/schemas.ts'

export const EmitterKindSchema = z.enum(emitterKindNames).meta({
  description:
    '`webhook`: an https endpoint of yours; `vendor_a`: Metronome; `vendor_b`: Orb; `stripe`: meter events of Stripe; `openmeter`: OpenMeter.',
})

export const CustomerIdSchema = z.enum(customerIds).meta({
  description:
    'Under which id usage is filed: `end_user_id`: the service’s own id of the person, `eu_…`; `organization_id`: the organization’s, for all usage; `external_id`: your own id of the person. Without a person, or an external id, the organization’s.',
})

export const EmitterAmountSchema = z.enum(emitterAmounts).meta({
  description:
    'Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed on demand; the value of a Stripe meter event is then that amount.',
})

export const EmitterName = text(128).meta({
  description: 'Label; the URL of a webhook and the kind of any other when left out.',
})

export const EmitterEvents = z
  .array(text(64))
  .min(1)
  .max(16)
  .meta({
    description: `Events to deliver. \`${usageRecorded}\` is the only event.`,
    examples: [[usageRecorded]],
  })

/** Returns the first unknown event. Undefined if all of them exist. */
export function unknownEvent(events: readonly string[] | undefined): string | undefined {
  return events?.find((event) => event !== usageRecorded)
}

/** A header value without spaces, because pasted values often end in one. */
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
    from: Timestamp.meta({ description: 'Calls from then on are sent; the time is that of their arrival.' }),
    to: Timestamp.meta({ description: 'Calls before then are sent.' }),
    state: z.enum(['running', 'done', 'stopped']).meta({
      description: '`stopped`: a batch was not accepted; asking for the same span again goes on there.',
    }),
    reachedAt: Timestamp.meta({ description: 'Calls up to then are sent.' }),
    events: Count.meta({ description: 'Events that were sent and accepted.' }),
    reason: z.string().nullable().meta({ description: 'Why it was stopped; null: it was not.' }),
    startedAt: Timestamp.meta({ description: 'When it was asked for.' }),
    updatedAt: Timestamp.meta({ description: 'When it last came further.' }),
  })
  .meta({ id: 'EmitterReplay', description: 'What is sent to an emitter again, and how far that is.' })

const MissedSpan = z
  .object({
    from: Timestamp.meta({ description: 'Arrival of the first such call.' }),
    to: Timestamp.meta({ description: 'A millisecond after the arrival of the last one.' }),
  })
  .meta({ id: 'MissedSpan', description: 'The calls whose events were not accepted are in it.' })

export const EmitterView = z
  .object({
    id: z.string().meta({ description: 'Id of the emitter, `emt_…`.' }),
    kind: EmitterKindSchema,
    name: EmitterName,
    enabled: z.boolean().meta({ description: 'Whether usage is delivered to it.' }),
    livemode: z.boolean().meta({ description: 'True: it is told of live calls; false: of test calls.' }),
    destination: z.string().meta({ description: 'URL that events are posted to.' }),
    events: z.array(z.literal(usageRecorded)).meta({ description: 'What it is told of.' }),
    customerId: CustomerIdSchema,
    amount: EmitterAmountSchema,
    eventType: z.string().nullable().meta({
      description: 'Event type at the vendor, of `vendor_a` and `openmeter`; null for the others.',
    }),
    eventName: z.string().nullable().meta({
      description: 'Event name at the vendor, of `vendor_b` and `stripe`; null for the others.',
    }),
    lastFour: z.string().meta({
      description: 'Last four characters of the credential; of a webhook, of the signing secret.',
    }),
    previousSecretEndsAt: Timestamp.nullable().meta({
      description:
        'When the previous signing secret stops signing deliveries, or when it did. Null if the secret was never rotated.',
    }),
    delivered: Count.meta({ description: 'Events that were accepted, replayed ones too.' }),
    notDelivered: Count.meta({ description: 'Events that were attempted and not accepted.' }),
    dropped: Count.meta({
      description: 'Events that were never attempted, because 10,000 others waited already.',
    }),
    lastDeliveredAt: Timestamp.nullable().meta({ description: 'Last accepted batch; null: none.' }),
    lastFailedAt: Timestamp.nullable().meta({ description: 'Last batch not accepted; null: none.' }),
    lastFailure: z.string().nullable().meta({ description: 'Why that batch was not accepted.' }),
    failingSince: Timestamp.nullable().meta({
      description: 'First batch that was not accepted since one was; null: the last one was accepted.',
    }),
    missed: MissedSpan.nullable().meta({
      description:
        'The span of calls among which there are some whose events were not accepted and not replayed since; null: none. emitters.replay takes it as it is.',
    }),
    replay: ReplayView.nullable().meta({ description: 'The last replay; null: none was asked for.' }),
    createdAt: Timestamp.meta({ description: 'When it was added.' }),
  })
  .meta({ id: 'Emitter', description: 'A destination of settled usage, without its secret.' })

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

/** Returns the emitter's settings without its delivery state. */
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
    id: z.string().meta({ description: 'Id of the batch, `usgb_…`.' }),
    cause: z.enum(['settled', 'replay', 'test']).meta({
      description: '`settled`: calls had settled; `replay`: they were sent again; `test`: it was a sample.',
    }),
    sentAt: Timestamp.meta({ description: 'When its first attempt began.' }),
    events: Count.meta({ description: 'Number of its events, 1 to 100.' }),
    usageRecordIds: z.array(z.string()).meta({ description: 'Usage records of its events, `ur_…`.' }),
    delivered: z.boolean().meta({ description: 'Whether an attempt was accepted.' }),
    attempts: Count.meta({ description: 'Attempts, 1 to 3.' }),
    status: z.int().nullable().meta({
      description: 'HTTP status of the last attempt; null: no answer came.',
    }),
    reason: z.string().nullable().meta({ description: 'Why it was not accepted; null: it was.' }),
    latencyMs: Count.meta({ description: 'Milliseconds from the first attempt to the end of the last one.' }),
  })
  .meta({ id: 'EmitterDelivery', description: 'A batch that was sent, and what came of it.' })

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
