/**
 * The time zone of a page: UTC, in which days are counted and billed, or the zone of the browser. A portal always uses
 * UTC.
 */
const key = 'tollgate time zone'
type ZoneChoice = 'utc' | 'local'

/** Each time in a table needs the zone, so read the stored zone only once. */
let chosen: ZoneChoice | null = null

export function chosenZone(): ZoneChoice {
  if (chosen === null) {
    const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(key)
    chosen = kept === 'local' ? 'local' : 'utc'
  }
  return chosen
}

export function chooseZone(zone: ZoneChoice): void {
  chosen = zone
  if (zone === 'utc') localStorage.removeItem(key)
  else localStorage.setItem(key, zone)
}

export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Shifts a time so that UTC functions return the date and the hour in the page's zone. */
export function zonedMs(ms: number): number {
  return chosenZone() === 'utc' ? ms : ms - new Date(ms).getTimezoneOffset() * 60_000
}

/** The inverse of `zonedMs`. A time that clocks skip becomes the time an hour later. */
export function msOfZoned(shownMs: number): number {
  const text = new Date(shownMs).toISOString()
  return Date.parse(chosenZone() === 'utc' ? text : text.slice(0, -1))
}

/** Such as `UTC` or `GMT+1`, at the time `ms`. */
export function zoneText(ms: number): string {
  if (chosenZone() === 'utc') return 'UTC'
  const parts = formatterOf({ timeZoneName: 'short' }).formatToParts(new Date(ms))
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? localZone()
}

const formatters = new Map<string, Intl.DateTimeFormat>()

/** Creating a formatter for each cell would take most of the time for rendering a row, so formatters are cached. */
export function formatterOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${chosenZone()} ${JSON.stringify(options)}`
  let formatter = formatters.get(name)
  if (formatter === undefined) {
    const zone = chosenZone() === 'utc' ? { timeZone: 'UTC' } : {}
    formatter = new Intl.DateTimeFormat('en-GB', { ...options, ...zone })
    formatters.set(name, formatter)
  }
  return formatter
}
