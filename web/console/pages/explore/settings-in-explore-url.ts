import { hourMs } from '#money/periods-and-windows.ts'
import type { UsageSeriesInput } from '#sdk/generated/usage.ts'
import type { SearchTexts } from '../../url-parameters.ts'
import {
  dimensions,
  filterNames,
  firstMetric,
  isLabel,
  isOfCalls,
  isOfPeople,
  metrics,
  type Dimension,
  type Metric,
} from './metrics-and-dimensions.ts'

const rollups = ['minute', 'hour', 'day', 'week'] as const
export type Rollup = (typeof rollups)[number]

export type SeriesFilters = Pick<UsageSeriesInput, (typeof filterNames)[number]>

export interface Asked {
  readonly metric: Metric
  readonly by: Dimension | null
  readonly second: Dimension | null
  /** Null means that the range determines the interval. */
  readonly rollup: Rollup | null
  readonly top: number
  readonly isCumulated: boolean
  readonly isCompared: boolean
  readonly filters: SeriesFilters
}

export const chartNames = [
  'metric',
  'by',
  'second',
  'rollup',
  'top',
  'sum',
  'compare',
  'model',
  'provider',
  'bundle',
  'endUserId',
  'keyId',
  'tag',
  'team',
] as const

export const tops = [3, 5, 7, 10, 20] as const

export function askedOf(search: SearchTexts): Asked {
  const filters: Record<string, string> = {}
  for (const name of filterNames) {
    const value = search[name]
    if (value !== undefined && value !== '') filters[name] = value
  }
  const by = search['by'] === 'none' ? null : (dimensionOf(search['by']) ?? 'model')
  const second = dimensionOf(search['second'])
  return {
    metric: metrics.find(({ id }) => id === search['metric']) ?? firstMetric,
    by,
    second: by === null || second === by ? null : second,
    rollup: rollups.find((one) => one === search['rollup']) ?? null,
    top: tops.find((one) => String(one) === search['top']) ?? 7,
    isCumulated: search['sum'] === '1',
    isCompared: search['compare'] === '1',
    filters,
  }
}

function dimensionOf(text: string | undefined): Dimension | null {
  return dimensions.find(([one]) => one === text)?.[0] ?? null
}

export function faultOf({ by, filters, rollup, second }: Asked): string | null {
  const all = [by, second, ...Object.keys(filters)]
  if (all.filter(isLabel).length > 1) return 'Tags and teams can’t be combined. Remove the tag or the team.'
  if (!all.some(isOfPeople)) return null
  if (all.some(isOfCalls))
    return 'End users and keys can’t be combined with providers, bundles, tags or teams. Remove one of them.'
  if (rollup === 'minute' || rollup === 'hour')
    return 'Usage of end users and keys is summed by day. Choose days or weeks.'
  return null
}

const most = { minute: 6 * hourMs, hour: 336 * hourMs, day: 400 * 24 * hourMs, week: 400 * 24 * hourMs }

export function rollupsFor(lengthMs: number): readonly Rollup[] {
  return rollups.filter((one) => lengthMs <= most[one] - 24 * (one === 'minute' ? 0 : hourMs))
}
