/** Times in fields of a browser, in the time zone of the page, to the minute or to the second. */
import { chosenZone, zonedMs } from '#web/ui/time-zone.ts'

export function localTime(iso: string, to: 'minute' | 'second' = 'minute'): string {
  return new Date(zonedMs(Date.parse(iso))).toISOString().slice(0, to === 'minute' ? 16 : 19)
}

/** What was chosen as the API takes it. Null if it is no time. */
export function utcOfLocal(text: string): string | null {
  const ms = msOfLocal(text)
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}

/** What was chosen, in milliseconds. NaN if it is no time. */
export function msOfLocal(text: string): number {
  // A field's value names no zone.
  return Date.parse(chosenZone() === 'utc' ? `${text}Z` : text)
}
