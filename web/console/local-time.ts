/** Times in fields of a browser: local, to the minute or to the second. */

export function localTime(iso: string, to: 'minute' | 'second' = 'minute'): string {
  const at = new Date(iso)
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString()
  return local.slice(0, to === 'minute' ? 16 : 19)
}

/** What was chosen as the API takes it; null: it is no time. */
export function utcOfLocal(text: string): string | null {
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}
