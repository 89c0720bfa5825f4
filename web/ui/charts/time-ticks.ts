/** Ticks are in the page's time zone if buckets are shorter than a day, and in UTC otherwise. */
import { msOfZoned, zonedMs } from '#web/ui/time-zone.ts'
import { dayMs, hourMs } from '#money/periods-and-windows.ts'
import { clockText, dayText, minuteMs, monthText, secondMs } from './time-text.ts'

export interface TimeTick {
  readonly atMs: number
  readonly label: string
}

const lengths: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * secondMs),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minuteMs),
  ...[1, 2, 3, 6, 12].map((n) => n * hourMs),
  ...[1, 2, 7, 14].map((n) => n * dayMs),
]
const monthCounts = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200]
/** January 5, 1970, was a Monday. */
const mondayMs = 4 * dayMs

/**
 * Uses the smallest step for which the axis, including both ends, has at most `countMax` ticks.
 * @param toMs end of the plot, not before `fromMs`
 * @param stepMs length of a bucket; no tick is inside a bucket
 */
export function timeTicks({
  countMax,
  fromMs,
  stepMs,
  toMs,
}: {
  readonly fromMs: number
  readonly toMs: number
  readonly stepMs: number
  readonly countMax: number
}): readonly TimeTick[] {
  for (const length of lengths) {
    if (length < stepMs) continue
    const ticks = ticksEvery(length, { fromMs, toMs, isUtc: stepMs >= dayMs, countMax })
    if (ticks !== null) return ticks
  }
  for (const count of monthCounts) {
    const ticks = monthStarts({ fromMs, toMs, count })
    if (ticks.length <= countMax) return ticks
  }
  return []
}

/** Null if the axis would have more than `countMax` ticks. */
function ticksEvery(
  length: number,
  {
    countMax,
    fromMs,
    isUtc,
    toMs,
  }: { readonly fromMs: number; readonly toMs: number; readonly isUtc: boolean; readonly countMax: number },
): readonly TimeTick[] | null {
  const shown = isUtc ? (ms: number) => ms : zonedMs
  // Clocks change by whole hours, so short steps are the same in UTC. Longer steps follow the clocks.
  const isByClock = !isUtc && length > hourMs
  const monday = length >= 7 * dayMs ? mondayMs : 0
  const offset = isByClock || isUtc ? monday : fromMs - zonedMs(fromMs)
  const startMs = isByClock ? zonedMs(fromMs) : fromMs
  const ticks: TimeTick[] = []
  for (let stepAt = Math.ceil((startMs - offset) / length) * length + offset; ; stepAt += length) {
    const atMs = isByClock ? msOfZoned(stepAt) : stepAt
    if (atMs > toMs) return ticks
    if (atMs < fromMs) continue
    if (ticks.length === countMax) return null
    const shownMs = shown(atMs)
    const label = length < dayMs && shownMs % dayMs !== 0 ? clockText(shownMs) : dayText(shownMs)
    ticks.push({ atMs, label })
  }
}

function monthStarts({
  count,
  fromMs,
  toMs,
}: {
  readonly fromMs: number
  readonly toMs: number
  readonly count: number
}): readonly TimeTick[] {
  const from = new Date(fromMs)
  const ticks: TimeTick[] = []
  for (
    let month = Math.floor((from.getUTCFullYear() * 12 + from.getUTCMonth()) / count) * count;
    ;
    month += count
  ) {
    const atMs = Date.UTC(Math.floor(month / 12), month % 12)
    if (atMs > toMs) return ticks
    if (atMs >= fromMs)
      ticks.push({
        atMs,
        label: month % 12 === 0 ? String(new Date(atMs).getUTCFullYear()) : monthText(atMs),
      })
  }
}
