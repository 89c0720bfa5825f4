/** The URL has `range=7d`, or `from` and `to`. */
import { useMemo } from 'react'
import { dayMs, hourMs } from '#money/periods-and-windows.ts'
import { useNow } from '#web/ui/current-time-hooks.ts'
import { useSearchTexts, useSetSearch } from './url-parameters.ts'

const minute = 60_000

export const ranges = [
  ['1h', 'Last hour', hourMs],
  ['24h', 'Last 24 hours', dayMs],
  ['7d', 'Last 7 days', 7 * dayMs],
  ['30d', 'Last 30 days', 30 * dayMs],
  ['90d', 'Last 90 days', 90 * dayMs],
] as const
export type RangeName = (typeof ranges)[number][0]

export interface TimeRange {
  /** ISO 8601. The range does not include `to`. */
  readonly from: string
  readonly to: string
  readonly before: { readonly from: string; readonly to: string }
  readonly name: RangeName | 'custom'
  readonly words: string
  readonly lengthMs: number
}

/** The end of the range advances once a minute, so that requests within one minute share a cached response. */
export function useRange(): readonly [
  TimeRange,
  (next: RangeName | { readonly from: string; readonly to: string }) => void,
] {
  const { from, range, to } = useSearchTexts()
  const setSearch = useSetSearch()
  const nowMs = Math.floor(useNow(minute) / minute) * minute + minute
  const chosen = useMemo(() => timeRange({ from, range, to }, nowMs), [from, range, to, nowMs])
  return [
    chosen,
    (next) =>
      setSearch(
        typeof next === 'string'
          ? { range: next, from: null, to: null }
          : { range: null, from: next.from, to: next.to },
      ),
  ]
}

function timeRange(
  search: {
    readonly range?: string | undefined
    readonly from?: string | undefined
    readonly to?: string | undefined
  },
  nowMs: number,
): TimeRange {
  const custom = { from: Date.parse(search.from ?? ''), to: Date.parse(search.to ?? '') }
  if (custom.to > custom.from) return rangeOf(custom.from, custom.to, 'custom', 'Custom range')
  const [name, words, lengthMs] = ranges.find(([one]) => one === search.range) ?? ranges[2]
  // A range longer than a day is shown by day, so it begins at the start of a day.
  const from = lengthMs > dayMs ? Math.floor((nowMs - lengthMs) / dayMs) * dayMs + dayMs : nowMs - lengthMs
  return rangeOf(from, nowMs, name, words)
}

function rangeOf(fromMs: number, toMs: number, name: TimeRange['name'], words: string): TimeRange {
  const iso = (ms: number): string => new Date(ms).toISOString()
  return {
    from: iso(fromMs),
    to: iso(toMs),
    before: { from: iso(fromMs - (toMs - fromMs)), to: iso(fromMs) },
    name,
    words,
    lengthMs: toMs - fromMs,
  }
}
