/** All times are UTC, because a local clock skips and repeats hours. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof weekdays)[number]

export interface WeeklyHours {
  readonly days: readonly Weekday[]
  /** The first minute in which the gateway is open, such as `08:00`. */
  readonly from: string
  /**
   * The first minute in which the gateway is closed again, such as `18:00`. If this time is not later than `from`, the
   * gateway closes on the next day. The latest possible time is `24:00`.
   */
  readonly until: string
}

/** An interval in minutes since Monday, 00:00 (start inclusive, end exclusive). */
interface Opening {
  readonly fromMinute: number
  readonly untilMinute: number
}

/**
 * The open intervals, in order and without overlap. An interval that ends with the week may continue in the next week.
 */
export type Openings = readonly Opening[]

const minutesPerDay = 1440
const minutesPerWeek = 7 * minutesPerDay
const msPerMinute = 60_000

export function openingsOf(hours: readonly WeeklyHours[]): Openings {
  const parts: Opening[] = []
  for (const { days, from, until } of hours) {
    for (const day of days) {
      const midnight = weekdays.indexOf(day) * minutesPerDay
      const fromMinute = midnight + minutesOf(from)
      const end = midnight + minutesOf(until)
      const untilMinute = end > fromMinute ? end : end + minutesPerDay
      parts.push({ fromMinute, untilMinute: Math.min(untilMinute, minutesPerWeek) })
      // If the interval begins on Sunday and ends on Monday, add the part on Monday.
      if (untilMinute > minutesPerWeek)
        parts.push({ fromMinute: 0, untilMinute: untilMinute - minutesPerWeek })
    }
  }
  parts.sort((one, other) => one.fromMinute - other.fromMinute)
  const merged: Opening[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (last === undefined || part.fromMinute > last.untilMinute) merged.push(part)
    else merged[merged.length - 1] = { ...last, untilMinute: Math.max(last.untilMinute, part.untilMinute) }
  }
  return merged
}

export function isOpenAt(openings: Openings, atMs: number): boolean {
  const minute = minuteOfWeek(atMs)
  return openings.some(({ fromMinute, untilMinute }) => minute >= fromMinute && minute < untilMinute)
}

/** Returns the start of the next opening after a time at which the gateway is closed. */
export function nextOpeningMs(openings: Openings, atMs: number): number {
  const minute = minuteOfWeek(atMs)
  const next = openings.find(({ fromMinute }) => fromMinute > minute) ?? openings[0]
  if (next === undefined) throw new Error('there are no opening hours')
  const inMinutes = (next.fromMinute - minute + minutesPerWeek) % minutesPerWeek
  return (Math.floor(atMs / msPerMinute) + inMinutes) * msPerMinute
}

/** January 1, 1970 was a Thursday, so days are shifted by three. */
function minuteOfWeek(atMs: number): number {
  return (Math.floor(atMs / msPerMinute) + 3 * minutesPerDay) % minutesPerWeek
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
}
