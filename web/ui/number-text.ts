import { dayMs, hourMs } from '#money/periods-and-windows.ts'
import { formatterOf, zonedMs } from './time-zone.ts'

/** Uses thin spaces: `1 234 567`. */
export function countText(count: number | bigint | string): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, '\u2009')
}

/** Shortens numbers from ten thousand on: `1.2 M`. */
export function shortCountText(count: number): string {
  for (const [size, letter] of [
    [1e9, 'B'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    if (count >= Math.max(size, 10_000)) return `${Number((count / size).toPrecision(3))}\u2009${letter}`
  }
  return countText(count)
}

/** Such as `340 ms`, `1.4 s` or `2 min 5 s`. */
export function durationText(ms: number): string {
  // Choose the unit by the rounded value, so that no text contains 1000 ms, 10.0 s or 60 s.
  const wholeMs = Math.round(ms)
  if (wholeMs < 1000) return `${wholeMs} ms`
  if (wholeMs < 9_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

export function daysText(days: number): string {
  if (days < 1) return 'less than a day'
  if (days > 365) return 'more than a year'
  return days === 1 ? 'about 1 day' : `about ${days} days`
}

export function percentText(part: number): string {
  return `${(part * 100).toFixed(1).replace('-', '\u2212')}\u2009%`
}

/** Such as `5 min ago` or `in 3 h`. A date if the time is at least one day away. */
export function whenText(iso: string, nowMs: number): string {
  const ms = nowMs - Date.parse(iso)
  const past = Math.abs(ms)
  if (past < 45_000) return ms >= 0 ? 'just now' : 'in a moment'
  if (past >= dayMs) return dateText(iso, nowMs)
  const words = past < hourMs ? `${Math.round(past / 60_000)} min` : `${Math.round(past / hourMs)} h`
  return ms >= 0 ? `${words} ago` : `in ${words}`
}

/** Such as `12 Nov`, with the year unless it is the current year. */
export function dateText(iso: string, nowMs: number): string {
  const at = Date.parse(iso)
  const isThisYear = new Date(zonedMs(at)).getUTCFullYear() === new Date(zonedMs(nowMs)).getUTCFullYear()
  return formatterOf({
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
  }).format(at)
}

export function exactTimeText(iso: string): string {
  return formatterOf(exact).format(new Date(iso))
}

const exact: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
}
