/** Fills empty buckets, and converts money to bigint. */
import { dayMs, hourMs } from '#money/periods-and-windows.ts'
import type { UsageSeries } from '#sdk/generated/types.ts'
import type { ChartSeries } from '#web/ui/charts/chart-data.ts'

export type SeriesTotals = UsageSeries['all']['totals']
export type SeriesPoint = UsageSeries['all']['points'][number]
export type SeriesOf = UsageSeries['all']
export type FailureClass = keyof NonNullable<SeriesTotals['failed']>

const bucketMs = { minute: 60_000, hour: hourMs, day: dayMs } as const

export interface Buckets {
  readonly times: readonly number[]
  readonly stepMs: number
}

export function bucketsOf({ bucket, from, to }: Pick<UsageSeries, 'bucket' | 'from' | 'to'>): Buckets {
  const stepMs = bucketMs[bucket as keyof typeof bucketMs]
  const first = Math.floor(Date.parse(from) / stepMs) * stepMs
  return {
    stepMs,
    times: Array.from({ length: Math.ceil((Date.parse(to) - first) / stepMs) }, (_, n) => first + n * stepMs),
  }
}

export function valuesOf<P extends { readonly at: string }, V>(
  { times }: Buckets,
  points: readonly P[],
  { nothing, of }: { readonly of: (point: P) => V; readonly nothing: V },
): readonly V[] {
  const byTime = new Map(points.map((point) => [Date.parse(point.at), point]))
  return times.map((ms) => {
    const point = byTime.get(ms)
    return point === undefined ? nothing : of(point)
  })
}

/** The response sums up the remaining groups as Other. */
export function groupSeries<V extends bigint | number>(
  answer: UsageSeries,
  { nothing, of }: { readonly of: (point: SeriesTotals) => V | null; readonly nothing: V | null },
): readonly ChartSeries<V>[] {
  const buckets = bucketsOf(answer)
  const seriesOf = (key: string, name: string, { points }: SeriesOf): ChartSeries<V> => ({
    key,
    name,
    values: valuesOf(buckets, points, { of, nothing }),
  })
  return [
    ...answer.groups.map((one) => seriesOf(`group ${one.group ?? ''}`, groupName(one.group), one)),
    ...(answer.other ? [{ ...seriesOf('other', 'Other', answer.other), isOther: true }] : []),
  ]
}

export const groupName = (group: string | null): string => group ?? 'Unknown'

type Earned = Pick<SeriesTotals, 'onDemandMicros' | 'paidFromWalletMicros'>

/** The revenue of requests: paid credit and on-demand usage. */
export function earnedOf({ onDemandMicros, paidFromWalletMicros }: Earned): bigint {
  return BigInt(paidFromWalletMicros) + BigInt(onDemandMicros)
}

/** Excludes subscriptions, whose revenue belongs to days and not to requests. */
export function marginOf(totals: Earned & Pick<SeriesTotals, 'costMicros'>): bigint {
  return earnedOf(totals) - BigInt(totals.costMicros)
}

/** Null if the number of failed requests is not known. */
export function failedOf({ failed }: Pick<SeriesTotals, 'failed'>): number | null {
  return failed && failed.client + failed.limit + failed.provider + failed.ours
}

/** The fraction, to a millionth. Null if the whole is not positive: refunds of earlier requests can exceed a sum. */
export function partOf(part: bigint, whole: bigint): number | null {
  return whole <= 0n ? null : Number((part * 1_000_000n) / whole) / 1_000_000
}

/** The relative change. Null if the previous value was 0. */
export function changeOf(now: bigint | number, before: bigint | number): number | null {
  if (Number(before) === 0) return null
  return typeof now === 'bigint' && typeof before === 'bigint'
    ? partOf(now - before, before < 0n ? -before : before)
    : (Number(now) - Number(before)) / Math.abs(Number(before))
}
