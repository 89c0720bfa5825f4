/** Times of the test clock, in UTC. */

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** What people set it forward by, from a time. */
export function stepsFrom(now: string): readonly (readonly [words: string, time: string])[] {
  const at = Date.parse(now)
  const date = new Date(at)
  const nextMonth = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  const after = (ms: number): string => new Date(at + ms).toISOString()
  return [
    ['An hour', after(hourMs)],
    ['A day', after(dayMs)],
    ['A week', after(7 * dayMs)],
    ['To the next month', new Date(nextMonth).toISOString()],
    ['31 days', after(31 * dayMs)],
  ]
}

/** As a field for times has it: to the minute, the next one where seconds are left. */
export function fieldOfTime(iso: string): string {
  return new Date(Math.ceil(Date.parse(iso) / 60_000) * 60_000).toISOString().slice(0, 16)
}

/** @returns null: it is no time */
export function timeOfField(text: string): string | null {
  const ms = Date.parse(`${text}Z`)
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}

export function faultOfTime(
  to: string | null,
  { latest, now }: { readonly now: string; readonly latest: string },
): string | undefined {
  if (to === null) return 'Choose a day and a time.'
  if (Date.parse(to) <= Date.parse(now)) return 'It is not later than the clock is now: it never goes back.'
  return Date.parse(to) > Date.parse(latest) ? 'It is more than ten years ahead of the real time.' : undefined
}

/** `3 days 4 h`, `2 h 5 min`: what lies between two times. */
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
