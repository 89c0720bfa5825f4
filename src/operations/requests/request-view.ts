import * as z from 'zod'
import { idOf } from '#domain/id.ts'
import type { CallCorrection, CallRecord } from '#domain/records.ts'
import type { ApplicationContext, Context } from '#operations/context.ts'
import { paidFields, paidView } from '#operations/figure-fields.ts'
import { Count, MicrosSum, Timestamp } from '#operations/schemas.ts'

export const CallStatusSchema = z.enum(['settled', 'released', 'refused', 'recovered', 'in_flight']).meta({
  description:
    '`settled`: charged; `released`: nothing was done and nothing charged; `refused`: never sent; `recovered`: settled after a crash; `in_flight`: not ended.',
})

export const RequestView = z
  .object({
    id: z.string().meta({ description: 'Id of the call, `req_…`, as its answer carried it.' }),
    status: CallStatusSchema,
    endUserId: z
      .string()
      .nullable()
      .meta({ description: "The customer's own id of the person; null: not known." }),
    keyId: z.string().nullable().meta({ description: 'The key it came with; null: none that is known.' }),
    requestedModel: z.string().nullable().meta({ description: 'The requested model name.' }),
    provider: z.string().nullable().meta({
      description:
        'Label of the provider account that answered, or would have; its id, `pa_…`, when it is gone; null: it was not decided.',
    }),
    providerModel: z
      .string()
      .nullable()
      .meta({ description: "The provider's model id that the name led to; null: it was not decided." }),
    wire: z
      .string()
      .nullable()
      .meta({ description: 'The wire format that it came in; null while in flight.' }),
    streamed: z.boolean().nullable().meta({ description: 'Whether it was streamed; null while in flight.' }),
    httpStatus: z.int().nullable().meta({ description: 'Status of the answer; null while in flight.' }),
    errorCode: z.string().nullable().meta({ description: 'Code of the failure or refusal; null: none.' }),
    chargeMicros: MicrosSum.meta({ description: 'What left pools, wallet or on-demand for it, in micros.' }),
    ...paidFields,
    refundedMicros: MicrosSum.meta({
      description: 'Amount refunded so far, in micros. `chargeMicros` is the amount before refunds.',
    }),
    overHoldMicros: MicrosSum.meta({
      description:
        'What was used beyond what was held for it: neither charged nor billed, the cost of the application.',
    }),
    billedMicros: MicrosSum.meta({
      description: 'What the bundle sells it for, of what was charged, in micros.',
    }),
    costMicros: MicrosSum.meta({
      description:
        'What provider accounts charge for it, for attempts that did not answer too, in micros; more than 0 too where nothing was charged.',
    }),
    assumedMicros: MicrosSum.meta({
      description:
        'The part of `costMicros` computed at assumed rates, in micros. 0 if the account has a rate for everything that was used.',
    }),
    inputTokens: Count.meta({ description: 'Tokens in, cached ones too; 0 where nothing was charged.' }),
    cachedInputTokens: Count.meta({ description: 'Those of the tokens in that the provider had cached.' }),
    outputTokens: Count.meta({ description: 'Tokens out, reasoning too; 0 where nothing was charged.' }),
    latencyMs: z.int().nullable().meta({
      description:
        'Milliseconds from the first byte of the request to the last of the answer; null while in flight.',
    }),
    firstByteMs: z
      .int()
      .nullable()
      .meta({ description: 'Milliseconds to the first byte of the answer; null: there was none.' }),
    createdAt: Timestamp.meta({ description: 'Time of the request.' }),
  })
  .meta({ id: 'Request', description: 'How a gateway call went.' })

/** Returns the label of each provider account of the organization, by ID. */
export async function accountLabels({
  organization,
  store,
}: Pick<Context, 'organization' | 'store'>): Promise<ReadonlyMap<string, string>> {
  const accounts = await store.providers.all(organization.id)
  return new Map(accounts.map(({ id, label }) => [id, label]))
}

/** Returns the total of the refunds. */
export function refundedOf(corrections: readonly CallCorrection[]): bigint {
  return corrections.reduce(
    (sum, { chargeMicros, kind }) => (kind === 'refund' ? sum - chargeMicros : sum),
    0n,
  )
}

/** Returns the corrections of a page of requests, by request. */
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

/** @param labels labels of the organization's provider accounts, by ID */
export function requestView(
  call: CallRecord,
  labels: ReadonlyMap<string, string>,
  corrections: readonly CallCorrection[] = [],
): z.output<typeof RequestView> {
  const { target } = call
  return {
    id: idOf('req', call.callId),
    status: call.status,
    endUserId: call.externalId,
    keyId: call.keyId,
    requestedModel: call.alias,
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
    inputTokens: call.inputTokens,
    cachedInputTokens: call.cachedInputTokens,
    outputTokens: call.outputTokens,
    latencyMs: call.latencyMs,
    firstByteMs: call.firstByteMs,
    createdAt: call.atMs,
  }
}
