import { chosenZone, zonedMs } from '#web/ui/time-zone.ts'

export function localTime(iso: string, to: 'minute' | 'second' = 'minute'): string {
  return new Date(zonedMs(Date.parse(iso))).toISOString().slice(0, to === 'minute' ? 16 : 19)
}

/**
 * Null if the text is not a time.
 * @param first the time that the field showed first. In the hour that is repeated when clocks are set back, a text
 *   is ambiguous, and unchanged text keeps its time.
 */
export function utcOfLocal(text: string, first?: string): string | null {
  const to = text.length > 16 ? 'second' : 'minute'
  if (first !== undefined && text === localTime(first, to)) {
    return `${new Date(first).toISOString().slice(0, to === 'minute' ? 16 : 19)}${to === 'minute' ? ':00' : ''}.000Z`
  }
  const ms = msOfLocal(text)
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}

/** Milliseconds since 1970. NaN if the value is not a time. */
export function msOfLocal(text: string): number {
  return Date.parse(chosenZone() === 'utc' ? `${text}Z` : text)
}
