/** `14:03:22` today, `21 Nov, 14:03:22` on another day. In the time zone of whoever reads. */
export function momentText(iso: string, nowMs: number): string {
  const at = new Date(iso)
  const time = clock.format(at)
  const now = new Date(nowMs)
  if (at.toDateString() === now.toDateString()) return time
  return `${(at.getFullYear() === now.getFullYear() ? day : dayOfYear).format(at)}, ${time}`
}

// Made once: a new one for each cell is most of what a row costs.
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
