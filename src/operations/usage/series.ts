import * as z from 'zod'
import { type FailureClass, failureClasses } from '#domain/failure-class.ts'
import { addMoney, moneyOf, zeroMoney } from '#domain/figures.ts'
import { Histogram } from '#domain/histogram.ts'
import type { SeriesBucket, SeriesBy, SeriesFigures, SeriesPoint } from '#domain/usage-series.ts'
import { dayMs } from '#money/period.ts'
import { modeTime } from '#operations/mode-time.ts'
import { FailedCalls } from '#operations/health/failed-calls.ts'
import { moneyView, signedMoneyFields } from '#operations/figure-fields.ts'
import { operation } from '#operations/operation.ts'
import { findIfNamed, ownEndUserOrRemoved } from '#operations/own.ts'
import { Refused, refused } from '#operations/refused.ts'
import { accountOf } from '#operations/requests/call-filters.ts'
import { accountLabels } from '#operations/requests/request-view.ts'
import { Count, ExternalId, Moment, queryInteger, Switch, text, Timestamp } from '#operations/schemas.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const lengthsMs: Readonly<Record<SeriesBucket, number>> = { minute: minuteMs, hour: hourMs, day: dayMs }
/** Maximum number of buckets, which keeps responses small. */
const bucketsMax: Readonly<Record<SeriesBucket, number>> = { minute: 360, hour: 336, day: 400 }
/** Maximum range with latencies, in days. Latencies are read hour by hour. */
const latencyDaysMax = 31
/** Length of a range without a start. */
const daysDefault = 7

const Milliseconds = z.int().nullable()

const figures = {
  calls: Count.nullable().meta({
    description:
      'Calls that ended, charged or not; null: days of people and keys count those that were charged alone.',
  }),
  chargedCalls: Count.meta({ description: 'Those that were charged.' }),
  failed: FailedCalls.nullable().meta({
    description: 'Those of `calls` that did not go well, by whose doing it was; null where `calls` is.',
  }),
  inputTokens: Count.nullable().meta({
    description:
      'Tokens in; null: there are only sums of days for them, by nothing, model, end user and key.',
  }),
  outputTokens: Count.nullable().meta({ description: 'Tokens out; null where `inputTokens` is.' }),
  ...signedMoneyFields,
}

const Totals = z.object(figures).meta({ id: 'SeriesTotals', description: 'What calls of a range add up to.' })
const at = Timestamp.meta({ description: 'The beginning of the bucket.' })
const Points = z
  .array(
    z
      .object({ at, ...figures })
      .meta({ id: 'SeriesPoint', description: 'What calls add up to that ended in one bucket.' }),
  )
  .meta({ description: 'Buckets in order of time; one in which nothing ended is left out.' })
const sums = { totals: Totals, points: Points }
const Sums = z.object(sums).meta({ id: 'Series', description: 'Some calls over time.' })

const Percentiles = z
  .object({
    p50Ms: Milliseconds.meta({ description: 'Half of the calls took no longer; null without calls.' }),
    p95Ms: Milliseconds.meta({ description: '95 of 100 calls took no longer.' }),
  })
  .meta({ id: 'SeriesPercentiles', description: 'How long calls took, in milliseconds.' })

const latencies = {
  latencyMs: Percentiles.meta({ description: 'From the first byte of a request to the last of its answer.' }),
  firstByteMs: Percentiles.meta({ description: 'To the first byte of the answer, where there was one.' }),
}

export default operation({
  id: 'usage.series',
  method: 'GET',
  path: '/v1/usage/series',
  scope: 'application',
  isExtension: true,
  summary: 'Show usage over time',
  description:
    'What calls of the mode add up to that ended in each minute, hour or day (UTC), together and by name, provider account, bundle, end user or key: those with the most, and all others as one. The groups and `other` add up to `all`, to the micro. The range is widened to whole buckets; an answer has 360 minutes, 336 hours or 400 days at most. Hours are read from sums per hour and the calls since the last full hour, minutes from the calls. Days without a group and by name have the money of `margin` and `usage`, including calls that ended late. By provider, the cost of a failed attempt counts with the account that made it. Days by end user and key are read from sums per day of charged calls.',
  query: {
    from: Moment.optional().meta({
      description: 'The beginning, or a time in the first bucket; left out: seven days before the end.',
    }),
    to: Moment.optional().meta({ description: 'The end, not included; left out: now.' }),
    bucket: z.enum(['minute', 'hour', 'day']).optional().meta({
      description:
        'Left out: minutes of up to two hours, hours of up to three days, else days; days where only those are known.',
    }),
    by: z
      .enum(['model', 'provider', 'bundle', 'endUser', 'key'])
      .optional()
      .meta({ description: 'What the groups are; left out: there are none.' }),
    top: queryInteger(20)
      .default(7)
      .meta({ description: 'Maximum number of groups; all others are added up as `other`. Defaults to 7.' }),
    order: z
      .enum(['chargeMicros', 'billedMicros', 'costMicros', 'calls'])
      .default('chargeMicros')
      .meta({ description: 'By which figure of the range the groups are chosen and ordered.' }),
    latency: Switch.default(false).meta({
      description:
        '`true`: `latency` has percentiles of each bucket; of a range of 31 days at most, not of people and keys.',
    }),
    model: text(128).optional().meta({ description: 'Only calls that asked for that name.' }),
    provider: text(64).optional().meta({
      description:
        'Label of a provider account, or its ID, `pa_…`: only calls that it answered, and the cost of its failed attempts.',
    }),
    bundle: text(64).optional().meta({ description: 'Slug: only calls that were charged by that bundle.' }),
    endUserId: ExternalId.optional().meta({
      description:
        'External id, or the id `eu_…` of a removed person: only charged calls of that person, by day.',
    }),
    keyId: text(64)
      .optional()
      .meta({ description: 'Id of a key, `key_…`: only charged calls with it, by day.' }),
  },
  output: z
    .object({
      from: Timestamp.meta({
        description:
          'From when on is counted; later than asked: there is too much to read, minutes of 100,000 calls or days of 100,000 people, keys and names.',
      }),
      to: Timestamp.meta({ description: 'The end of the last bucket, which may not be over.' }),
      bucket: z.enum(['minute', 'hour', 'day']).meta({ description: 'What each point is.' }),
      isWhole: z.boolean().meta({
        description:
          'False: there is too much to read, and only the newest is counted: of minutes and of people from `from` on, of the hour that is not over its last 100,000 calls.',
      }),
      all: Sums.meta({ description: 'Every call that the filters leave.' }),
      groups: z
        .array(
          z
            .object({
              group: z.string().nullable().meta({
                description:
                  'Requested name, label of the provider account (its id, `pa_…`, when it is gone), slug of the bundle, external id or id of the key; null: not known, or nothing was charged.',
              }),
              ...sums,
            })
            .meta({ id: 'SeriesGroup', description: 'The calls of one group over time.' }),
        )
        .meta({ description: 'Those with the most, in their order.' }),
      other: Sums.nullable().meta({
        description: 'All groups that are not among `groups`; null: there are none.',
      }),
      latency: z
        .array(
          z
            .object({ at, ...latencies })
            .meta({ id: 'SeriesLatency', description: 'How long the calls of one bucket took.' }),
        )
        .nullable()
        .meta({
          description: 'Of all calls, by bucket, as `health` has them; null: not asked for.',
        }),
      latencyTotals: z
        .object(latencies)
        .nullable()
        .meta({ description: 'The same of the whole range at once; null: not asked for.' }),
    })
    .meta({ id: 'UsageSeries', description: 'What was used over time.' }),
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
    const series = await store.usage.series({
      applicationId: application.id,
      mode,
      ...range,
      by,
      alias: model,
      accountId,
      bundle: query.bundle ?? null,
      endUserId: endUser?.id ?? null,
      keyId: query.keyId ?? null,
      hasLatency: latency,
      groupsMax: top,
      order,
    })
    const labels = by === 'provider' ? await accountLabels(context) : new Map<string, string>()
    const rest = by === null ? [] : lessParts(series.all, series.groups)
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
  const reason = `the range has ${count} of them, and an answer at most ${bucketsMax[bucket]}.`
  return refused('invalid_request', { reason }, 'bucket')
}

function bucketFor(lengthMs: number): SeriesBucket {
  if (lengthMs <= 2 * hourMs) return 'minute'
  return lengthMs <= 3 * dayMs ? 'hour' : 'day'
}

function isOfPeople({ by, endUserId, keyId }: Given): boolean {
  return by === 'endUser' || by === 'key' || endUserId !== undefined || keyId !== undefined
}

/** Rejects ranges and filters for which no data is kept. */
function faultOf(given: Given, { bucket, fromMs, toMs }: Range): { reason: string; param: string } | null {
  if (given.latency && toMs - fromMs > latencyDaysMax * dayMs)
    return { reason: `latencies are given of ${latencyDaysMax} days at most.`, param: 'latency' }
  if (!isOfPeople(given)) return null
  if (bucket !== 'day')
    return { reason: 'people and keys have sums of days alone: it must be day.', param: 'bucket' }
  if (given.latency) return { reason: 'people and keys have no latencies.', param: 'latency' }
  for (const name of ['provider', 'bundle'] as const)
    if (given[name] !== undefined || given.by === name)
      return {
        reason: `people and keys have no sums by ${name}.`,
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
    inputTokens: of.inputTokens,
    outputTokens: of.outputTokens,
    ...moneyView(of),
  }
}

type Figures = Omit<SeriesFigures, 'latencyMs' | 'firstByteMs'>

function sumOf(all: readonly Figures[]): Figures {
  return all.reduce((sum, one) => combined(sum, one, 1), zero(all[0]))
}

/** Returns zeros for the figures that are present. */
function zero(like: Figures | undefined): Figures {
  const isKnown = (of: keyof Figures): boolean => like === undefined || like[of] !== null
  return {
    calls: isKnown('calls') ? 0 : null,
    charged: 0,
    failed: isKnown('failed') ? { client: 0, limit: 0, provider: 0, ours: 0 } : null,
    inputTokens: isKnown('inputTokens') ? 0 : null,
    outputTokens: isKnown('outputTokens') ? 0 : null,
    ...zeroMoney(),
  }
}

function combined(one: Figures, other: Figures, sign: 1 | -1): Figures {
  const count = (a: number | null, b: number | null): number | null =>
    a === null || b === null ? null : a + sign * b
  const money = moneyOf(one)
  addMoney(money, other, sign === 1 ? 1n : -1n)
  return {
    ...money,
    calls: count(one.calls, other.calls),
    charged: one.charged + sign * other.charged,
    failed:
      one.failed &&
      other.failed &&
      (Object.fromEntries(
        failureClasses.map((name) => [name, (one.failed?.[name] ?? 0) + sign * (other.failed?.[name] ?? 0)]),
      ) as Record<FailureClass, number>),
    inputTokens: count(one.inputTokens, other.inputTokens),
    outputTokens: count(one.outputTokens, other.outputTokens),
  }
}

/** Subtracts the parts from the total, bucket by bucket. */
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
    let rest: Figures = whole
    for (const part of parts.get(whole.atMs) ?? []) rest = combined(rest, part, -1)
    const isNothing = Object.values(rest).every(
      (value) => value === null || typeof value === 'object' || value === 0 || value === 0n,
    )
    const { atMs } = whole
    return isNothing ? [] : [{ ...rest, atMs, latencyMs: null, firstByteMs: null }]
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
