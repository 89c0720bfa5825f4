import { chosenZone, zonedMs } from '#web/ui/time-zone.ts'

export function localTime(iso: string, to: 'minute' | 'second' = 'minute'): string {
  return new Date(zonedMs(Date.parse(iso))).toISOString().slice(0, to === 'minute' ? 16 : 19)
}

export function utcOfLocal(text: string): string | null {
  const ms = msOfLocal(text)
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}

/** Milliseconds since 1970. NaN if the value is not a time. */
export function msOfLocal(text: string): number {
  return Date.parse(chosenZone() === 'utc' ? `${text}Z` : text)
}
