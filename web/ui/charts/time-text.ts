/**
 * Buckets are in UTC, so that sums are the same for every reader. Days and longer buckets are shown in UTC, and shorter
 * buckets in the page's time zone.
 */
import { dayMs } from '#money/periods-and-windows.ts'
import { zonedMs, zoneText } from '#web/ui/time-zone.ts'

export const secondMs = 1000
export const minuteMs = 60 * secondMs

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

export function monthText(ms: number): string {
  return months[new Date(ms).getUTCMonth()] ?? ''
}

export function dayText(ms: number): string {
  return `${new Date(ms).getUTCDate()} ${monthText(ms)}`
}

/** Omits seconds that are zero: `14:05`, `14:05:30`. */
export function clockText(ms: number): string {
  const iso = new Date(ms).toISOString()
  return ms % minuteMs === 0 ? iso.slice(11, 16) : iso.slice(11, 19)
}

/** Such as `Tue 3 Nov`, `3 Nov, 14:00 UTC`, `3 – 9 Nov` or `Nov 2026`. */
export function bucketText(ms: number, stepMs: number): string {
  if (stepMs < dayMs) return `${dayText(zonedMs(ms))}, ${clockText(zonedMs(ms))} ${zoneText(ms)}`
  if (stepMs >= 28 * dayMs) return `${monthText(ms)} ${new Date(ms).getUTCFullYear()}`
  if (stepMs === dayMs) return `${days[new Date(ms).getUTCDay()]} ${dayText(ms)}`
  return daysText(ms, ms + stepMs)
}

/** Such as `3 – 9 Nov` or `3 Nov, 14:00 – 18:00 UTC`. `toMs` is exclusive. */
export function rangeText(fromMs: number, toMs: number, stepMs: number): string {
  if (stepMs >= dayMs) return daysText(fromMs, toMs)
  const [from, to] = [zonedMs(fromMs), zonedMs(toMs)]
  const end = dayText(from) === dayText(to) ? clockText(to) : `${dayText(to)}, ${clockText(to)}`
  return `${dayText(from)}, ${clockText(from)} \u2013 ${end} ${zoneText(toMs)}`
}

function daysText(fromMs: number, toMs: number): string {
  const last = toMs - dayMs
  if (last <= fromMs) return dayText(fromMs)
  const [from, to] = [new Date(fromMs), new Date(last)]
  if (from.getUTCFullYear() !== to.getUTCFullYear())
    return `${dayText(fromMs)} ${from.getUTCFullYear()} \u2013 ${dayText(last)} ${to.getUTCFullYear()}`
  const first = from.getUTCMonth() === to.getUTCMonth() ? String(from.getUTCDate()) : dayText(fromMs)
  return `${first} \u2013 ${dayText(last)}`
}
