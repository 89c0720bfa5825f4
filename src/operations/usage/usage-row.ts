import * as z from 'zod'
import { formatMicros } from '#money/amount.ts'
import { figures, paidNames } from '#domain/figures.ts'
import { idOf } from '#domain/id.ts'
import type { UsageRecord } from '#domain/usage-records.ts'
import { Count, MicrosSum, SignedMicros, Timestamp } from '#operations/schemas.ts'
import { column, rowId, type Column } from './row-format.ts'

const instant = (ms: number): string => new Date(ms).toISOString()

/** A usage record in an export. Amounts are micros and never JSON numbers. */
export const usageColumns: readonly Column[] = [
  column(
    'id',
    z.string().meta({
      description:
        'ID of the usage record (`ur_…`, as in events) or of the correction (`cor_…`). For `after`.',
    }),
    rowId,
  ),
  column(
    'kind',
    z.enum(['usage', 'refund', 'late_usage']).meta({
      description:
        '`usage`: a charged request. `refund` and `late_usage`: a correction of one, whose amounts are differences and whose token counts are 0.',
    }),
    ({ correction }) => correction?.kind ?? 'usage',
  ),
  column('requestId', z.string().meta({ description: 'Id of the call, `req_…`.' }), ({ callId }) =>
    idOf('req', callId),
  ),
  column(
    'settledAt',
    Timestamp.meta({
      description: 'When the request was charged or corrected. `from` and `to` select by this time.',
    }),
    ({ settledAtMs }) => instant(settledAtMs),
  ),
  column('createdAt', Timestamp.meta({ description: 'Time of the request.' }), ({ atMs }) => instant(atMs)),
  column(
    'endUserId',
    z.string().meta({
      description: "The customer's own id of the person; of a removed one the id `eu_…`.",
    }),
    ({ externalId }) => externalId,
  ),
  column('keyId', z.string().meta({ description: 'The key it came with.' }), ({ keyId }) => keyId),
  column(
    'bundle',
    z.string().nullable().meta({
      description: 'Slug of the bundle that sold it; null: the call died with its process.',
    }),
    ({ bundle }) => bundle,
  ),
  column(
    'requestedModel',
    z.string().meta({ description: 'The requested model name.' }),
    ({ alias }) => alias,
  ),
  column(
    'provider',
    z.string().meta({
      description: 'Label of the provider account that answered; its id, `pa_…`, when it is gone.',
    }),
    ({ target }, { labels }) => labels.get(target.accountId) ?? target.accountId,
  ),
  column(
    'providerKind',
    z.string().meta({ description: 'Kind of that account.' }),
    ({ target }) => target.provider,
  ),
  column(
    'providerModel',
    z.string().meta({ description: "The provider's model id." }),
    ({ target }) => target.model,
  ),
  column('wire', z.string().meta({ description: 'The wire format that it came in.' }), ({ wire }) => wire),
  column(
    'streamed',
    z.boolean().meta({ description: 'Whether it was streamed.' }),
    ({ isStreamed }) => isStreamed,
  ),
  column(
    'httpStatus',
    z.int().meta({ description: 'Status of the answer.' }),
    ({ httpStatus }) => httpStatus,
  ),
  column(
    'errorCode',
    z.string().nullable().meta({ description: 'Code of the failure; null: none.' }),
    ({ errorCode }) => errorCode,
  ),
  column(
    'tokenCountSource',
    z.enum(['provider_reported', 'estimated', 'recovered']).meta({
      description:
        'Who counted the tokens: the provider; this gateway; or its last note, after the process of the call had died.',
    }),
    ({ tokenSource }) => tokenSource,
  ),
  column(
    'inputTokens',
    Count.meta({ description: 'Tokens in, cached ones too.' }),
    ({ inputTokens }) => inputTokens,
  ),
  column(
    'cachedInputTokens',
    Count.meta({ description: 'Those of the tokens in that the provider had cached.' }),
    ({ usage }) => usage.cacheRead,
  ),
  column(
    'cacheWriteTokens',
    Count.meta({ description: 'Those of the tokens in that were written to its cache.' }),
    ({ usage }) => usage.cacheWrite + usage.cacheWriteLong,
  ),
  column(
    'outputTokens',
    Count.meta({ description: 'Tokens out, reasoning too.' }),
    ({ outputTokens }) => outputTokens,
  ),
  column(
    'reasoningTokens',
    Count.meta({ description: 'Those of the tokens out that were reasoning.' }),
    ({ usage }) => usage.reasoning,
  ),
  column(
    'webSearches',
    Count.meta({ description: 'Searches that the provider made for it.' }),
    ({ usage }) => usage.webSearches,
  ),
  column(
    'costMicros',
    SignedMicros.meta({ description: 'What the provider account is charged for it, in micros.' }),
    ({ costMicros }) => formatMicros(costMicros),
    'number',
  ),
  column(
    'billedMicros',
    SignedMicros.meta({ description: 'What the bundle sells it for, of what was charged, in micros.' }),
    ({ billedMicros }) => formatMicros(billedMicros),
    'number',
  ),
  column(
    'chargeMicros',
    SignedMicros.meta({ description: 'What left pools, wallet or on-demand for it, in micros.' }),
    ({ chargeMicros }) => formatMicros(chargeMicros),
    'number',
  ),
  ...paidNames.map((name) =>
    column(
      figures[name].wire,
      SignedMicros.nullable().meta({
        description: `${figures[name].description} Null for requests recorded before payments were split.`,
      }),
      ({ paid }: UsageRecord) => (paid === null ? null : formatMicros(paid[name])),
      'number',
    ),
  ),
  column(
    'overHoldMicros',
    MicrosSum.meta({
      description: 'What was used beyond what was held for it, in micros: neither charged nor billed.',
    }),
    ({ overHoldMicros }) => formatMicros(overHoldMicros),
    'number',
  ),
  column(
    'outcome',
    z.string().nullable().meta({ description: 'Slug of the outcome it was a step of; null: none.' }),
    ({ outcomeSlug }) => outcomeSlug,
  ),
  column(
    'runId',
    z.string().nullable().meta({ description: 'The run of that outcome; null: none.' }),
    ({ runId }: UsageRecord) => runId,
  ),
  column(
    'latencyMs',
    z
      .int()
      .meta({ description: 'Milliseconds from the first byte of the request to the last of the answer.' }),
    ({ latencyMs }) => latencyMs,
  ),
  column(
    'firstByteMs',
    z.int().nullable().meta({ description: 'Milliseconds to the first byte of the answer; null: none.' }),
    ({ firstByteMs }) => firstByteMs,
  ),
]
