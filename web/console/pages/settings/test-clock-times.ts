/** Times are in UTC. */
import { dayMs, hourMs } from '#money/periods-and-windows.ts'

export function stepsFrom(now: string): readonly (readonly [words: string, time: string])[] {
  const at = Date.parse(now)
  const date = new Date(at)
  const nextMonth = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  const after = (ms: number): string => new Date(at + ms).toISOString()
  return [
    ['1 hour', after(hourMs)],
    ['1 day', after(dayMs)],
    ['1 week', after(7 * dayMs)],
    ['To the next month', new Date(nextMonth).toISOString()],
    ['31 days', after(31 * dayMs)],
  ]
}

/** Rounds up to the minute. */
export function fieldOfTime(iso: string): string {
  return new Date(Math.ceil(Date.parse(iso) / 60_000) * 60_000).toISOString().slice(0, 16)
}

export function timeOfField(text: string): string | null {
  const ms = Date.parse(`${text}Z`)
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}

export function faultOfTime(
  to: string | null,
  { latest, now }: { readonly now: string; readonly latest: string },
): string | undefined {
  if (to === null) return 'Choose a date and time.'
  if (Date.parse(to) <= Date.parse(now))
    return "Choose a time that is later than the clock. The clock can't go back."
  return Date.parse(to) > Date.parse(latest)
    ? 'Choose a time at most ten years ahead of real time.'
    : undefined
}

/** Such as `3 days 4 h` or `2 h 5 min`. */
export function daysOfText(ms: number): string {
  const days = Math.floor(ms / dayMs)
  const hours = Math.floor((ms % dayMs) / hourMs)
  const minutes = Math.floor((ms % hourMs) / 60_000)
  const words = [
    days > 0 && `${days} ${days === 1 ? 'day' : 'days'}`,
    hours > 0 && `${hours} h`,
    days === 0 && minutes > 0 && `${minutes} min`,
  ].filter((word) => word !== false)
  return words.length === 0 ? 'less than a minute' : words.join(' ')
}
