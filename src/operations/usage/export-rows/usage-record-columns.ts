import * as z from 'zod'
import { formatMicros } from '#money/amount.ts'
import { type Dimension, dimensionsOn, factsOf } from '#money/price.ts'
import { countOf } from '#money/usage-counts.ts'
import { figures } from '#domain/reports/table-of-request-figures.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { UsageRecord } from '#domain/reports/usage-records-interface.ts'
import { Count, SignedMicros, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { column, rowId, teamOf, type Column } from './ndjson-and-csv-rows.ts'
import { certaintyColumns, chargeColumns, countSource } from './columns-shared-by-exports.ts'

const instant = (ms: number): string => new Date(ms).toISOString()

function countColumns(of: readonly Dimension[]): readonly Column[] {
  const dimensions = of.filter((dimension) => factsOf(dimension).column !== undefined)
  return [...Map.groupBy(dimensions, (dimension) => factsOf(dimension).column ?? '')].map(
    ([name, [first, ...others]]) =>
      column(name, Count.meta({ description: first && factsOf(first).usage }), ({ usage }) => {
        let sum = 0
        for (const dimension of first === undefined ? [] : [first, ...others]) {
          const count = countOf(dimension)
          if (count !== null) sum += usage[count]
        }
        return sum
      }),
  )
}

/** Amounts in micros are strings and never JSON numbers. */
export const usageColumns: readonly Column[] = [
  column(
    'id',
    z.string().meta({
      description:
        'ID of the usage record (`ur_…`) or of the correction (`cor_…`). Events contain the same ID of the usage record. To continue an export after this row, send the ID as `after`.',
    }),
    rowId,
  ),
  column(
    'kind',
    z.enum(['usage', 'refund', 'late_usage']).meta({
      description:
        '`usage`: a charged request. `refund` and `late_usage`: corrections of a request. The amounts of a correction are differences, and its token counts are 0.',
    }),
    ({ correction }) => correction?.kind ?? 'usage',
  ),
  column('requestId', z.string().meta({ description: 'ID of the request, `req_…`.' }), ({ callId }) =>
    idOf('req', callId),
  ),
  column(
    'settledAt',
    Timestamp.meta({
      description:
        'When the request was charged or corrected. The filters `from` and `to` select by this time.',
    }),
    ({ settledAtMs }) => instant(settledAtMs),
  ),
  column('createdAt', Timestamp.meta({ description: 'When the request arrived.' }), ({ atMs }) =>
    instant(atMs),
  ),
  column(
    'endUserId',
    z.string().meta({
      description: "The customer's own ID for the end user. For a deleted end user, the ID `eu_…`.",
    }),
    ({ externalId }) => externalId,
  ),
  column('keyId', z.string().meta({ description: 'ID of the key, `key_…`.' }), ({ keyId }) => keyId),
  column(
    'bundle',
    z.string().nullable().meta({
      description:
        'Slug of the bundle that the request was charged under. Null if the server process died during the request.',
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
      description: 'Label of the provider account, or its ID, `pa_…`, if the account was deleted.',
    }),
    ({ target }, { labels }) => labels.get(target.accountId) ?? target.accountId,
  ),
  column('providerKind', z.string().meta({ description: 'Provider kind.' }), ({ target }) => target.provider),
  column(
    'providerModel',
    z.string().meta({ description: "The provider's model ID." }),
    ({ target }) => target.model,
  ),
  column('wire', z.string().meta({ description: 'Wire format of the request.' }), ({ wire }) => wire),
  column(
    'streamed',
    z.boolean().meta({ description: 'Whether the response was streamed.' }),
    ({ isStreamed }) => isStreamed,
  ),
  column(
    'httpStatus',
    z.int().meta({ description: 'HTTP status of the response.' }),
    ({ httpStatus }) => httpStatus,
  ),
  column(
    'errorCode',
    z.string().nullable().meta({ description: 'Error code of the failure. Null if no error occurred.' }),
    ({ errorCode }) => errorCode,
  ),
  countSource.usage,
  column(
    'inputTokens',
    Count.meta({ description: 'Input tokens, including cached tokens.' }),
    ({ inputTokens }) => inputTokens,
  ),
  ...countColumns(dimensionsOn('text', 'media')),
  column(
    'outputTokens',
    Count.meta({ description: 'Output tokens, including reasoning.' }),
    ({ outputTokens }) => outputTokens,
  ),
  ...countColumns(dimensionsOn('output')),
  ...countColumns(dimensionsOn('use')),
  column(
    figures.costMicros.wire,
    SignedMicros.meta({ description: figures.costMicros.description }),
    ({ costMicros }) => formatMicros(costMicros),
    'number',
  ),
  ...chargeColumns('usage'),
  column(
    'outcome',
    z
      .string()
      .nullable()
      .meta({ description: 'Slug of the outcome. Null if the request counted toward no outcome.' }),
    ({ outcomeSlug }) => outcomeSlug,
  ),
  column(
    'runId',
    z.string().nullable().meta({ description: 'ID of the run. Null if the request belonged to no run.' }),
    ({ runId }: UsageRecord) => runId,
  ),
  column(
    'tags',
    z.array(z.string()).meta({
      description: 'Tags of the request. Empty if the request has no tags. In CSV, the tags are JSON.',
    }),
    ({ tags }) => tags,
  ),
  column(
    'team',
    z.string().nullable().meta({
      description:
        'Slug of the team of the end user at the time of the request. If the team was deleted, the ID of its payer, `eu_…`. Null if the end user was in no team.',
    }),
    teamOf,
  ),
  column(
    'latencyMs',
    z.int().meta({
      description:
        'Time from the first byte of the request to the last byte of the response, in milliseconds.',
    }),
    ({ latencyMs }) => latencyMs,
  ),
  column(
    'firstByteMs',
    z.int().nullable().meta({
      description: 'Time to the first byte of the response, in milliseconds. Null if no byte was sent.',
    }),
    ({ firstByteMs }) => firstByteMs,
  ),
  ...certaintyColumns('usage'),
]
