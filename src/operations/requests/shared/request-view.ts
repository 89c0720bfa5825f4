import * as z from 'zod'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { factsOf } from '#money/price.ts'
import type { CallLabels } from '#domain/calls/requests-tail-interface.ts'
import type { CallCorrection } from '#domain/billing/call-correction-record.ts'
import type { CallRecord } from '#domain/calls/call-record.ts'
import type { MarginBy } from '#domain/reports/reports-interface.ts'
import type { ApplicationContext, Context } from '#operations/kernel/operation-context.ts'
import {
  described,
  furtherFields,
  furtherView,
  paidFields,
  paidView,
} from '#operations/kernel/request-figure-fields.ts'
import { Count, MicrosSum, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export const CallStatusSchema = z.enum(['settled', 'released', 'refused', 'recovered', 'in_flight']).meta({
  description:
    '`settled`: charged. `released`: no work was done and nothing was charged. `refused`: rejected before it was sent to a provider. `recovered`: settled after a crash. `in_flight`: not ended yet.',
})

export const RequestView = z
  .object({
    id: z.string().meta({ description: 'ID of the request, `req_…`, as returned with its response.' }),
    status: CallStatusSchema,
    endUserId: z
      .string()
      .nullable()
      .meta({ description: "The customer's own ID for the end user. Null if the end user is unknown." }),
    keyId: z.string().nullable().meta({ description: 'ID of the key, `key_…`. Null if the key is unknown.' }),
    requestedModel: z.string().nullable().meta({
      description: 'Requested model name. Null if the request was rejected before its model name was read.',
    }),
    tags: z.array(z.string()).meta({
      description:
        'Tags of the request and of its key. Empty if the request has no tags, or was rejected before its tags were checked.',
    }),
    team: z.string().nullable().meta({
      description:
        'Slug of the team of the end user at the time of the request. If the team was deleted, the ID of its payer, `eu_…`. Null if the end user was in no team.',
    }),
    provider: z.string().nullable().meta({
      description:
        'Label of the chosen provider account, or its ID, `pa_…`, if the account was deleted. Null if no account was chosen.',
    }),
    providerModel: z.string().nullable().meta({
      description:
        "The provider's model ID that the requested name resolved to. Null if no model was chosen.",
    }),
    wire: z.string().nullable().meta({ description: 'Wire format of the request. Null while in flight.' }),
    streamed: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether the response was streamed. Null while in flight.' }),
    httpStatus: z
      .int()
      .nullable()
      .meta({ description: 'HTTP status of the response. Null while in flight.' }),
    errorCode: z
      .string()
      .nullable()
      .meta({ description: 'Error code of the failure or rejection. Null if no error occurred.' }),
    chargeMicros: described(MicrosSum, 'chargeMicros'),
    ...paidFields,
    refundedMicros: MicrosSum.meta({
      description: 'Amount refunded so far, in micros. `chargeMicros` is the amount before refunds.',
    }),
    overHoldMicros: described(MicrosSum, 'overHoldMicros'),
    billedMicros: described(MicrosSum, 'billedMicros'),
    costMicros: MicrosSum.meta({
      description:
        'Provider cost, in micros, including failed attempts. The cost can be more than 0 for requests that are not charged.',
    }),
    assumedMicros: MicrosSum.meta({
      description:
        'Part of `costMicros` that was computed at assumed rates, in micros. 0 if the account has a rate for all usage.',
    }),
    disputed: z.boolean().nullable().meta({
      description:
        'Whether the provider may charge an amount other than the computed cost. `requests.explain` returns the reasons. Null if the provider states no cost and no reason for another amount is known.',
    }),
    ...furtherFields,
    inputTokens: Count.meta({
      description: 'Input tokens, including cached tokens. 0 if nothing was charged.',
    }),
    cachedInputTokens: Count.meta({ description: factsOf('cacheRead').usage }),
    outputTokens: Count.meta({
      description: 'Output tokens, including reasoning. 0 if nothing was charged.',
    }),
    latencyMs: z.int().nullable().meta({
      description:
        'Time from the first byte of the request to the last byte of the response, in milliseconds. Null while in flight.',
    }),
    firstByteMs: z.int().nullable().meta({
      description: 'Time to the first byte of the response, in milliseconds. Null if no byte was sent.',
    }),
    createdAt: Timestamp.meta({ description: 'When the request arrived.' }),
  })
  .meta({ id: 'Request', description: 'A gateway request and its result.' })

export async function accountLabels({
  organization,
  store,
}: Pick<Context, 'organization' | 'store'>): Promise<ReadonlyMap<string, string>> {
  const accounts = await store.providers.all(organization.id)
  return new Map(accounts.map(({ id, label }) => [id, label]))
}

export async function callLabels(
  context: Pick<ApplicationContext, 'application' | 'organization' | 'store'>,
): Promise<CallLabels> {
  const { application, store } = context
  return new Map([...(await accountLabels(context)), ...(await store.teams.slugs(application.id))])
}

/** Empty if the report's groups have no labels. */
export async function groupLabels(
  by: MarginBy | null,
  context: ApplicationContext,
): Promise<ReadonlyMap<string, string>> {
  if (by === 'provider') return accountLabels(context)
  if (by === 'team') return context.store.teams.slugs(context.application.id)
  return new Map()
}

export function refundedOf(corrections: readonly CallCorrection[]): bigint {
  return corrections.reduce(
    (sum, { chargeMicros, kind }) => (kind === 'refund' ? sum - chargeMicros : sum),
    0n,
  )
}

export async function correctionsByCall(
  calls: readonly CallRecord[],
  { application, store }: Pick<ApplicationContext, 'application' | 'store'>,
): Promise<ReadonlyMap<string, readonly CallCorrection[]>> {
  const charged = calls.filter(({ chargeMicros, status }) => chargeMicros > 0n || status === 'recovered')
  const found = await store.corrections.ofCalls(
    application.id,
    charged.map(({ callId }) => callId),
  )
  return Map.groupBy(found, ({ callId }) => callId)
}

export function requestView(
  call: CallRecord,
  labels: CallLabels,
  corrections: readonly CallCorrection[] = [],
): z.output<typeof RequestView> {
  const { target } = call
  return {
    id: idOf('req', call.callId),
    status: call.status,
    endUserId: call.externalId,
    keyId: call.keyId,
    requestedModel: call.alias,
    tags: [...call.tags],
    team: call.payerId && (labels.get(call.payerId) ?? call.payerId),
    provider: target && (labels.get(target.accountId) ?? target.accountId),
    providerModel: target && target.model,
    wire: call.wire,
    streamed: call.isStreamed,
    httpStatus: call.httpStatus,
    errorCode: call.errorCode,
    chargeMicros: call.chargeMicros,
    ...paidView(call),
    refundedMicros: refundedOf(corrections),
    overHoldMicros: call.overHoldMicros,
    billedMicros: call.billedMicros,
    costMicros: call.costMicros,
    assumedMicros: call.assumedMicros,
    disputed: call.isDisputed,
    ...furtherView(call),
    inputTokens: call.inputTokens,
    cachedInputTokens: call.cachedInputTokens,
    outputTokens: call.outputTokens,
    latencyMs: call.latencyMs,
    firstByteMs: call.firstByteMs,
    createdAt: call.atMs,
  }
}
