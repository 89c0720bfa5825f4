/**
 * The server supports one grouping per request, so each group of the first grouping has a request for the second. Other
 * is the total minus the shown groups, so that the sum equals the total exactly.
 */
import { dayMs } from '#money/periods-and-windows.ts'
import type { UsageSeries } from '#sdk/generated/types.ts'
import type { ChartSeries } from '#web/ui/charts/chart-data.ts'
import { bucketsOf, groupName, valuesOf, type Buckets, type SeriesOf } from '../../chart-usage-series.ts'
import type { Metric } from './metrics-and-dimensions.ts'

export interface Shown extends ChartSeries<bigint> {
  /** Empty for Other and for the total. */
  readonly groups: readonly (string | null)[]
  readonly total: bigint
}

export interface Explored {
  readonly buckets: Buckets
  readonly shown: readonly Shown[]
  /** Null if the total is not known. */
  readonly whole: readonly bigint[] | null
  readonly total: bigint | null
}

/** @param within by index of the group in `base.groups`; absent if the group is not divided */
export function explored({
  base,
  metric,
  top,
  within,
}: {
  readonly base: UsageSeries
  readonly within: readonly (UsageSeries | undefined)[]
  readonly metric: Metric
  readonly top: number
}): Explored {
  const buckets = bucketsOf(base)
  const valuesIn = ({ points }: SeriesOf): readonly bigint[] =>
    valuesOf(buckets, points, { of: (point) => metric.of(point) ?? 0n, nothing: 0n })
  if (metric.of(base.all.totals) === null) return { buckets, shown: [], whole: null, total: null }
  const whole = valuesIn(base.all)
  const leaves = base.groups.flatMap((one, at) => {
    const inner = within[at]
    const parts = inner
      ? inner.groups.map((two) => ({ of: two as SeriesOf, groups: [one.group, two.group] }))
      : [{ of: one as SeriesOf, groups: [one.group] }]
    return parts.map(({ groups, of }) => shownOf(groups, valuesIn(of)))
  })
  const largest = leaves.filter(({ total }) => total !== 0n).toSorted(bySize)
  const shown = largest.slice(0, top)
  const rest = whole.map((value, n) => shown.reduce((left, { values }) => left - (values[n] ?? 0n), value))
  const isGrouped = base.groups.length > 0 || base.other !== null
  if (!isGrouped) {
    const all = { ...shownOf([], whole), key: 'all', name: metric.words }
    return { buckets, shown: [all], whole, total: all.total }
  }
  const other = { ...shownOf([], rest), key: 'other', name: 'Other', isOther: true }
  return {
    buckets,
    shown: rest.some((value) => value !== 0n) ? [...shown, other] : shown,
    whole,
    total: sumOf(whole),
  }
}

function shownOf(groups: readonly (string | null)[], values: readonly bigint[]): Shown {
  return {
    key: JSON.stringify(groups),
    name: groups.map(groupName).join(' · '),
    groups,
    values,
    total: sumOf(values),
  }
}

const sumOf = (values: readonly (bigint | null)[]): bigint =>
  values.reduce<bigint>((sum, value) => sum + (value ?? 0n), 0n)

const size = (value: bigint): bigint => (value < 0n ? -value : value)

/** Sorts equal sizes by name, so that every load shows the same order. */
function bySize(one: Shown, other: Shown): number {
  const [a, b] = [size(one.total), size(other.total)]
  return a === b ? (one.key < other.key ? -1 : 1) : a < b ? 1 : -1
}

const weekMs = 7 * dayMs
/** January 5, 1970 was a Monday. */
const mondayMs = 4 * dayMs

/** Weeks begin on Monday (UTC). The first and the last week may be partial. */
export function inWeeks({ stepMs, times }: Buckets): {
  readonly buckets: Buckets
  readonly sums: (values: readonly (bigint | null)[]) => readonly bigint[]
} {
  const weekOf = (ms: number): number => Math.floor((ms - mondayMs) / weekMs)
  const first = weekOf(times[0] ?? 0)
  const last = weekOf((times.at(-1) ?? 0) + stepMs - 1)
  return {
    buckets: {
      stepMs: weekMs,
      times: Array.from({ length: last - first + 1 }, (_, n) => (first + n) * weekMs + mondayMs),
    },
    sums: (values) => {
      const sums = Array.from({ length: last - first + 1 }, () => 0n)
      for (const [n, value] of values.entries()) {
        const week = weekOf(times[n] ?? 0) - first
        sums[week] = (sums[week] ?? 0n) + (value ?? 0n)
      }
      return sums
    },
  }
}

export function cumulated(values: readonly (bigint | null)[]): readonly bigint[] {
  let sum = 0n
  return values.map((value) => (sum += value ?? 0n))
}
