/** A phase that the request did not reach is null. */
import { LedgerEntryView } from '#operations/billing/shared/ledger-entry-view.ts'
import * as z from 'zod'
import { emitterKindNames } from '#domain/emitters/emitter-kinds.ts'
import { hiddenFields } from '#operations/kernel/request-figure-fields.ts'
import { SignedMicros, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import {
  Attempt,
  Auth,
  legs,
  Policy,
  Quote,
  Refusal,
  Reserve,
  Route,
  Settle,
  Stream,
  Usage,
} from './phase-schemas.ts'
import { PriceLines } from './price-lines.ts'
import { RequestView } from '#operations/requests/shared/request-view.ts'

const Timeline = z
  .array(
    z.object({
      phase: z.enum(['decide', 'attempt', 'stream', 'settle']).meta({
        description:
          '`decide`: from the request to the first attempt. `attempt`: an attempt at a provider. `stream`: from the first to the last text of a stream. `settle`: from the end of the last attempt to the end of the request.',
      }),
      atMs: z
        .int()
        .min(0)
        .meta({ description: 'Start of the phase, in milliseconds since the start of the request.' }),
      durationMs: z.int().min(0).meta({ description: 'Duration of the phase, in milliseconds.' }),
    }),
  )
  .meta({ id: 'ExplainedTimeline', description: 'Phases with a measured duration, in order.' })

const EventDelivery = z
  .object({
    emitterId: z.string().meta({ description: 'ID of the emitter, `emt_…`.' }),
    kind: z.enum(emitterKindNames).meta({ description: 'Kind of the emitter.' }),
    name: z.string().meta({ description: 'Label of the emitter.' }),
    state: z.enum(['waiting', 'delivered', 'not_delivered', 'attempted']).meta({
      description:
        '`waiting`: not attempted yet. `delivered` or `not_delivered`: result of the newest delivery. `attempted`: attempted so long ago that the delivery is no longer stored.',
    }),
    deliveryId: z.string().nullable().meta({
      description:
        'ID of the newest delivery, `usgb_…`. If no delivery is stored, all fields about the delivery are null.',
    }),
    cause: z.enum(['settled', 'replay', 'test']).nullable().meta({
      description: 'Cause of the delivery: the settlement of the request, a replay, or a test.',
    }),
    sentAt: Timestamp.nullable().meta({ description: 'When the first attempt of the delivery began.' }),
    attempts: z.int().min(1).nullable().meta({ description: 'Number of attempts, from 1 to 3.' }),
    status: z
      .int()
      .nullable()
      .meta({ description: 'HTTP status of the last attempt. Null if no response was received.' }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Reason why the event was not accepted. Null if the event was accepted.' }),
  })
  .meta({ id: 'ExplainedEvent', description: 'Delivery of the usage event of a request to one emitter.' })

const Summary = z.string().meta({ description: 'Sentences that summarize the request and its amounts.' })

export const CorrectionView = z
  .object({
    id: z.string().meta({ description: 'ID of the correction, `cor_…`.' }),
    kind: z.enum(['refund', 'late_usage']).meta({
      description:
        '`refund`: all or part of the charge was refunded. `late_usage`: the request was settled after a crash, and its actual usage became known later.',
    }),
    chargeMicros: SignedMicros.meta({
      description: 'Change of the charge, in micros. Negative for a refund.',
    }),
    billedMicros: SignedMicros.meta({ description: 'Change of the amount at the sell price, in micros.' }),
    costMicros: SignedMicros.meta({ description: 'Change of the provider cost, in micros. 0 for a refund.' }),
    legs: legs.meta({
      description:
        'Additional amount that each source, such as the wallet or a pool, paid. Negative if money was returned to the source.',
    }),
    ledgerEntryIds: z
      .array(z.string())
      .meta({ description: 'IDs of the ledger entries of the correction, `led_…`.' }),
    reason: z.string().meta({ description: 'Reason for the correction. The ledger shows the same text.' }),
    actor: z.string().nullable().meta({
      description: 'Member or token that requested the correction. Null if the server corrected the request.',
    }),
    createdAt: Timestamp.meta({ description: 'When the correction was made.' }),
  })
  .meta({ id: 'RequestCorrection', description: 'A later change of the charge of a request.' })

export const Explanation = RequestView.extend({
  usageRecordId: z.string().nullable().meta({
    description:
      'ID of the usage record, `ur_…`. Events and exports contain the same ID. Null if nothing was settled.',
  }),
  corrections: z.array(CorrectionView).meta({
    description:
      'Refunds and late usage of the request, oldest first. Empty if the request was not corrected.',
  }),
  summary: Summary,
  timeline: Timeline,
  auth: Auth,
  policy: Policy,
  quote: Quote,
  reserve: Reserve,
  route: Route,
  attempts: z.array(Attempt).meta({ description: 'Attempts at providers, in order.' }),
  stream: Stream,
  refusal: Refusal,
  usage: Usage,
  priceLines: z.array(PriceLines).meta({
    description:
      'Calculation of the amounts, for each price that applies: units multiplied by rates. The lines are not rounded. Only the sum of the lines is rounded up.',
  }),
  settle: Settle,
  ledger: z.array(LedgerEntryView).meta({ description: 'Ledger entries of the request, oldest first.' }),
  emitters: z.array(EventDelivery).meta({
    description: 'Deliveries of the usage event, one for each emitter. The oldest emitter comes first.',
  }),
})

/** Omits tags, the team, providers, their costs, and the margin. */
export const EndUserExplanation = RequestView.omit({
  provider: true,
  providerModel: true,
  disputed: true,
  tags: true,
  team: true,
  ...hiddenFields,
})

  .extend({
    summary: Summary,
    policy: Policy,
    reserve: Reserve,
    stream: Stream,
    refusal: Refusal,
    usage: Usage,
    priceLines: z.array(PriceLines.extend({ price: z.enum(['charge', 'credits']) })).meta({
      description:
        'Calculation of the charge: units multiplied by rates. The lines are not rounded. Only the sum of the lines is rounded up.',
    }),
    settle: Settle,
    ledger: z.array(LedgerEntryView).meta({ description: 'Ledger entries of the request, oldest first.' }),
    corrections: z
      .array(
        CorrectionView.omit({ actor: true, billedMicros: true, costMicros: true }).meta({
          id: 'EndUserRequestCorrection',
          description:
            'A later change of the charge of a request, with the fields that its end user can see.',
        }),
      )
      .meta({
        description:
          'Refunds and late usage of the request, oldest first. Empty if the request was not corrected.',
      }),
  })
  .meta({ id: 'EndUserRequest', description: 'A request, with the fields that its end user can see.' })
