import * as z from 'zod'
import { noFailures } from '#domain/health/class-of-failure.ts'
import { figureOf, recordNames, type TokenName, tokenNames, zeroOf } from '#domain/sums-of-request-figures.ts'
import { Histogram } from '#domain/reports/duration-histogram.ts'
import { sumsOf } from '#domain/add-records-by-field.ts'
import type {
  SeriesBucket,
  SeriesBy,
  SeriesFigures,
  SeriesPoint,
} from '#domain/reports/usage-series-interface.ts'
import { dayMs, hourMs } from '#money/periods-and-windows.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { FailedCalls } from '#operations/health/shared/failed-calls-by-cause-view.ts'
import { described, moneyView, signedMoneyFields } from '#operations/kernel/request-figure-fields.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { findIfNamed, ownEndUserOrRemoved } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { accountOf, payerOf } from '#operations/requests/shared/request-filters.ts'
import { groupLabels } from '#operations/requests/shared/request-view.ts'
import {
  Count,
  ExternalId,
  Moment,
  queryInteger,
  Slug,
  Switch,
  text,
  Timestamp,
} from '#operations/kernel/value-and-page-schemas.ts'

const minuteMs = 60_000
const lengthsMs: Readonly<Record<SeriesBucket, number>> = { minute: minuteMs, hour: hourMs, day: dayMs }
const bucketsMax: Readonly<Record<SeriesBucket, number>> = { minute: 360, hour: 336, day: 400 }
/** Latencies are read separately for each hour of the range. */
const latencyDaysMax = 31
const daysDefault = 7

const Milliseconds = z.int().nullable()

/** Token counts are stored only per day, model name, end user and key, so they are null in other series. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of all tokens
const nullableTokens = Object.fromEntries(
  tokenNames.map((name, at) => {
    const when =
      at === 0
        ? 'Null if the buckets are minutes or hours. Also null if usage is grouped, unless the groups are models, end users or keys.'
        : `Null if \`${tokenNames[0]}\` is null.`
    return [name, Count.nullable().meta({ description: `${figureOf(name).description} ${when}` })]
  }),
) as Readonly<Record<TokenName, z.ZodNullable<typeof Count>>>

const figures = {
  calls: Count.nullable().meta({
    description:
      'Number of requests that ended, charged or not. Null if usage is grouped by end user or key, because only charged requests are counted then.',
  }),
  chargedCalls: described(Count, 'calls'),
  failed: FailedCalls.nullable().meta({
    description: 'Number of failed requests, by cause. Null if `calls` is null.',
  }),
  ...nullableTokens,
  ...signedMoneyFields,
}

const Totals = z
  .object(figures)
  .meta({ id: 'SeriesTotals', description: 'Totals of the requests of a range.' })
const at = Timestamp.meta({ description: 'Start of the bucket.' })
const Points = z
  .array(
    z
      .object({ at, ...figures })
      .meta({ id: 'SeriesPoint', description: 'Totals of the requests that ended in one bucket.' }),
  )
  .meta({ description: 'Buckets in chronological order. Buckets in which no request ended are omitted.' })
const sums = { totals: Totals, points: Points }
const Sums = z.object(sums).meta({ id: 'Series', description: 'Totals of a group of requests over time.' })

const Percentiles = z
  .object({
    p50Ms: Milliseconds.meta({ description: 'Median, in milliseconds. Null if no request was measured.' }),
    p95Ms: Milliseconds.meta({
      description: '95th percentile, in milliseconds. Null if no request was measured.',
    }),
  })
  .meta({
    id: 'SeriesPercentiles',
    description: 'Percentiles of the durations of requests, in milliseconds.',
  })

const latencies = {
  latencyMs: Percentiles.meta({
    description: 'Time from the first byte of the request to the last byte of the response.',
  }),
  firstByteMs: Percentiles.meta({
    description: 'Time to the first byte of the response. Requests without a response byte are not counted.',
  }),
}

export default operation({
  id: 'usage.series',
  method: 'GET',
  path: '/v1/usage/series',
  scope: 'application',
  isExtension: true,
  summary: 'Show usage over time',
  description:
    'Returns totals of the requests that ended in each minute, hour or day (UTC), in the mode of the request: overall, and for the largest groups. `groups` and `other` add up to `all` exactly, unless usage is grouped by tag.\n\n- The range is widened to whole buckets. A response has at most 360 minutes, 336 hours or 400 days.\n- The server computes totals per minute from the records of requests. It computes totals per hour from stored hourly sums, and from the records since the last full hour.\n- Daily totals without a group, and daily totals by model, equal the amounts that the operations `margin` and `usage` return. These totals also include requests that were stored after the sums of their hour were computed.\n- Daily totals by end user and by key are computed from daily sums of charged requests.\n- If grouped by provider, the cost of a failed attempt counts for the provider account that received the attempt.\n- If grouped by tag, a request counts in each of its tags, and requests without a tag are in no group.\n- If grouped by team, a request counts in the team of its end user at the time of the request, regardless of who paid. Requests of end users in no team are in `other`.',
  query: {
    from: Moment.optional().meta({
      description:
        'Start of the range, or any time in the first bucket. Defaults to seven days before the end.',
    }),
    to: Moment.optional().meta({ description: 'End of the range, exclusive. Defaults to now.' }),
    bucket: z.enum(['minute', 'hour', 'day']).optional().meta({
      description:
        'Length of each bucket. Defaults to `minute` for ranges up to two hours, to `hour` for ranges up to three days, and to `day` otherwise. If usage is grouped or filtered by end user or key, defaults to `day`.',
    }),
    by: z
      .enum(['model', 'provider', 'bundle', 'endUser', 'key', 'tag', 'team'])
      .optional()
      .meta({ description: 'Property to group by. Omit for no groups.' }),
    top: queryInteger(20).default(7).meta({
      description: 'Maximum number of groups. All other groups are added up in `other`. Defaults to 7.',
    }),
    order: z.enum(['chargeMicros', 'billedMicros', 'costMicros', 'calls']).default('chargeMicros').meta({
      description: 'Figure by which the groups are selected and ordered. Defaults to `chargeMicros`.',
    }),
    latency: Switch.default(false).meta({
      description:
        'Whether to return latency percentiles. Requires a range of at most 31 days, and is not available if usage is grouped or filtered by end user or key. Defaults to false.',
    }),
    model: text(128)
      .optional()
      .meta({ description: 'Requested model name. Returns only requests for this name.' }),
    provider: text(64).optional().meta({
      description:
        'Label of a provider account, or its ID, `pa_…`. Returns only requests that this account served, and the cost of its failed attempts.',
    }),
    bundle: text(64)
      .optional()
      .meta({ description: 'Slug of a bundle. Returns only requests that were charged under this bundle.' }),
    tag: Slug.optional().meta({
      description:
        'Slug of a tag. Returns only requests with this tag. Cannot be combined with a team, an end user, a key, `by=tag` or `by=team`.',
    }),
    team: text(64).optional().meta({
      description:
        'Slug of a team, or the ID of its payer, `eu_…`. Returns only requests that members of this team sent. Cannot be combined with a tag, an end user, a key, `by=tag` or `by=team`. A deleted team is found by the ID of its payer only.',
    }),
    endUserId: ExternalId.optional().meta({
      description:
        'External ID of an end user, or their ID, `eu_…`. Returns only charged requests of this end user, and requires `bucket=day`. A deleted end user is found by ID only.',
    }),
    keyId: text(64).optional().meta({
      description:
        'ID of a key, `key_…`. Returns only charged requests made with this key, and requires `bucket=day`.',
    }),
  },
  output: z
    .object({
      from: Timestamp.meta({
        description:
          'Start of the counted range. The range starts later than requested if the data exceeds a maximum. For buckets of a minute, the maximum is 100,000 requests. For usage by end user or key, the maximum is 100,000 daily sums. There is one daily sum for each combination of end user, key and model name.',
      }),
      to: Timestamp.meta({ description: 'End of the last bucket. The end can be in the future.' }),
      bucket: z.enum(['minute', 'hour', 'day']).meta({ description: 'Length of each bucket.' }),
      isWhole: z.boolean().meta({
        description:
          'Whether the whole range is counted. If false, the range has too much data:\n- For minute buckets, and for usage by end user or key, only the newest data is counted, and `from` is the start of this data.\n- For hours and days with any other filter or grouping, only the newest 100,000 requests of the current hour are counted. Earlier hours are counted completely.',
      }),
      all: Sums.meta({ description: 'All requests that match the filters.' }),
      groups: z
        .array(
          z
            .object({
              group: z.string().nullable().meta({
                description:
                  'Name of the group: requested model name, label of the provider account, external ID of the end user, or ID of the key. Bundles, tags and teams are shown by their slug. A deleted provider account is shown by its ID, `pa_…`, and a deleted team by the ID of its payer, `eu_…`. Null for requests without a known group. For example, if usage is grouped by bundle, the group of uncharged requests is null.',
              }),
              ...sums,
            })
            .meta({ id: 'SeriesGroup', description: 'Totals of one group over time.' }),
        )
        .meta({
          description: 'The largest groups, sorted by the figure in the parameter `order`, largest first.',
        }),
      other: Sums.nullable().meta({
        description:
          'Totals of all groups that are not in `groups`. Null if usage is grouped by tag, or if there are no other groups.',
      }),
      latency: z
        .array(
          z
            .object({ at, ...latencies })
            .meta({ id: 'SeriesLatency', description: 'Latencies of the requests of one bucket.' }),
        )
        .nullable()
        .meta({
          description:
            'Latencies of all requests in each bucket, computed as in the operation `health`. Null if `latency` is false.',
        }),
      latencyTotals: z
        .object(latencies)
        .nullable()
        .meta({ description: 'Latencies of all requests in the whole range. Null if `latency` is false.' }),
    })
    .meta({ id: 'UsageSeries', description: 'Usage over time.' }),
  errors: ['not_found'],
  async run({ query }, context) {
    const { application, mode, store } = context
    const { by = null, latency, model = null, order, top } = query
    const range = rangeOf(query, modeTime(context))
    if (range instanceof Refused) return range
    const fault = faultOf(query, range)
    if (fault !== null) return refused('invalid_request', { reason: fault.reason }, fault.param)
    const endUser = await findIfNamed(ownEndUserOrRemoved, query.endUserId, context, 'endUserId')
    if (endUser instanceof Refused) return endUser
    const accountId = await accountOf(query.provider, context)
    if (accountId instanceof Refused) return accountId
    const payerId = await payerOf(query.team, context)
    if (payerId instanceof Refused) return payerId
    const series = await store.usage.series({
      applicationId: application.id,
      mode,
      ...range,
      by,
      alias: model,
      accountId,
      bundle: query.bundle ?? null,
      tag: query.tag ?? null,
      payerId,
      endUserId: endUser?.id ?? null,
      keyId: query.keyId ?? null,
      hasLatency: latency,
      groupsMax: top,
      order,
    })
    const labels = await groupLabels(by, context)
    const rest = by === null || by === 'tag' ? [] : lessParts(series.all, series.groups)
    return {
      from: series.fromMs,
      to: range.toMs,
      bucket: range.bucket,
      isWhole: series.isWhole,
      all: viewOf(series.all),
      groups: series.groups.map(({ group, points }) => ({
        group: group === null ? null : (labels.get(group) ?? group),
        ...viewOf(points),
      })),
      other: rest.length === 0 ? null : viewOf(rest),
      latency: latency
        ? series.all.map(({ atMs, firstByteMs, latencyMs }) => ({
            at: atMs,
            latencyMs: percentilesOf(latencyMs),
            firstByteMs: percentilesOf(firstByteMs),
          }))
        : null,
      latencyTotals: latency
        ? {
            latencyMs: percentilesOf(merged(series.all.map(({ latencyMs }) => latencyMs))),
            firstByteMs: percentilesOf(merged(series.all.map(({ firstByteMs }) => firstByteMs))),
          }
        : null,
    }
  },
})

interface Range {
  readonly bucket: SeriesBucket
  readonly fromMs: number
  readonly toMs: number
}

interface Given {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly bucket?: SeriesBucket | undefined
  readonly by?: SeriesBy | undefined
  readonly endUserId?: string | undefined
  readonly keyId?: string | undefined
  readonly provider?: string | undefined
  readonly bundle?: string | undefined
  readonly tag?: string | undefined
  readonly team?: string | undefined
  readonly latency: boolean
}

function rangeOf(given: Given, nowMs: number): Range | Refused<'invalid_request'> {
  const endMs = given.to ?? nowMs + 1
  const startMs = given.from ?? endMs - daysDefault * dayMs
  if (endMs <= startMs) return refused('invalid_request', { reason: 'to must be later than from.' }, 'to')
  const bucket = given.bucket ?? (isOfPeople(given) ? 'day' : bucketFor(endMs - startMs))
  const eachMs = lengthsMs[bucket]
  const fromMs = Math.floor(startMs / eachMs) * eachMs
  const toMs = Math.ceil(endMs / eachMs) * eachMs
  const count = (toMs - fromMs) / eachMs
  if (count <= bucketsMax[bucket]) return { bucket, fromMs, toMs }
  const reason = `The range has ${count} buckets, and the maximum is ${bucketsMax[bucket]}.`
  return refused('invalid_request', { reason }, 'bucket')
}

function bucketFor(lengthMs: number): SeriesBucket {
  if (lengthMs <= 2 * hourMs) return 'minute'
  return lengthMs <= 3 * dayMs ? 'hour' : 'day'
}

function isOfPeople({ by, endUserId, keyId }: Given): boolean {
  return by === 'endUser' || by === 'key' || endUserId !== undefined || keyId !== undefined
}

function faultOf(given: Given, { bucket, fromMs, toMs }: Range): { reason: string; param: string } | null {
  if (given.latency && toMs - fromMs > latencyDaysMax * dayMs)
    return {
      reason: `Latencies are available for ranges of at most ${latencyDaysMax} days.`,
      param: 'latency',
    }
  const labels = (['tag', 'team'] as const).flatMap((label) => [
    ...(given[label] === undefined ? [] : [label]),
    ...(given.by === label ? ['by'] : []),
  ])
  const second = labels[1]
  if (second !== undefined)
    return { reason: 'Only one filter or grouping by tag or team is possible.', param: second }
  if (!isOfPeople(given)) return null
  if (bucket !== 'day') return { reason: 'bucket must be day for end users and keys.', param: 'bucket' }
  if (given.latency)
    return { reason: 'Latencies are not available for end users and keys.', param: 'latency' }
  for (const name of ['provider', 'bundle', 'tag', 'team'] as const)
    if (given[name] !== undefined || given.by === name)
      return {
        reason: `Sums by ${name} are not available for end users and keys.`,
        param: given[name] === undefined ? 'by' : name,
      }
  return null
}

function viewOf(points: readonly SeriesPoint[]): z.output<typeof Sums> {
  return {
    totals: figuresOf(sumOf(points)),
    points: points.map((of) => ({ at: of.atMs, ...figuresOf(of) })),
  }
}

function figuresOf(of: Figures): z.output<typeof Totals> {
  return {
    calls: of.calls,
    chargedCalls: of.charged,
    failed: of.failed && { ...of.failed },
    ...tokensOf(of),
    ...moneyView(of),
  }
}

function tokensOf(of: Figures): Readonly<Record<TokenName, number | null>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of all tokens
  return Object.fromEntries(tokenNames.map((name) => [name, of[name]])) as Record<TokenName, number | null>
}

type Figures = Omit<SeriesFigures, 'latencyMs' | 'firstByteMs'>

const seriesSums = sumsOf<Figures>({ calls: 0, charged: 0, failed: noFailures(), ...zeroOf(recordNames) })

function sumOf(all: readonly Figures[]): Figures {
  const sum = seriesSums.zero()
  for (const one of all) seriesSums.add(sum, one)
  return sum
}

/** The rest is the total minus all groups. */
function lessParts(
  all: readonly SeriesPoint[],
  groups: readonly { readonly points: readonly SeriesPoint[] }[],
): readonly SeriesPoint[] {
  const parts = new Map<number, SeriesPoint[]>()
  for (const { points } of groups)
    for (const one of points) {
      const known = parts.get(one.atMs)
      if (known) known.push(one)
      else parts.set(one.atMs, [one])
    }
  return all.flatMap((whole) => {
    const rest = sumOf([whole])
    for (const part of parts.get(whole.atMs) ?? []) seriesSums.add(rest, part, -1)
    const { atMs } = whole
    return seriesSums.isZero(rest) ? [] : [{ ...rest, atMs, latencyMs: null, firstByteMs: null }]
  })
}

function merged(histograms: readonly (Histogram | null)[]): Histogram {
  const whole = new Histogram()
  for (const one of histograms) if (one) whole.merge(one)
  return whole
}

function percentilesOf(histogram: Histogram | null): z.output<typeof Percentiles> {
  return { p50Ms: histogram?.percentile(50) ?? null, p95Ms: histogram?.percentile(95) ?? null }
}
