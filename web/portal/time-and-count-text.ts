/** Such as `1 Dec` or `1 Dec 2027`. In UTC, because periods and limits begin in UTC. */
export function dayText(iso: string, nowMs = Date.now()): string {
  const at = new Date(iso)
  return at.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
    ...(at.getUTCFullYear() === new Date(nowMs).getUTCFullYear() ? {} : { year: 'numeric' }),
  })
}

/** Such as `at 14:05 UTC` on the same day in UTC, and `on 1 Dec` on another day. */
export function momentText(iso: string, nowMs = Date.now()): string {
  const isToday = iso.slice(0, 10) === new Date(nowMs).toISOString().slice(0, 10)
  return isToday ? `at ${iso.slice(11, 16)} UTC` : `on ${dayText(iso, nowMs)}`
}

export function monthText(iso: string): string {
  return new Date(iso).toLocaleDateString('en-GB', { month: 'long', timeZone: 'UTC' })
}

/** Follows an amount, as in `per month`. */
export function perText(period: string): string {
  return period === 'total' ? 'in total' : `per ${period}`
}

export function countOf(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`
}
