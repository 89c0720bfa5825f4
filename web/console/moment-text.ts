/** `14:03:22` today, `21 Nov, 14:03:22` on another day. In the time zone of whoever reads. */
export function momentText(iso: string, nowMs: number): string {
  const at = new Date(iso)
  const time = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
  const now = new Date(nowMs)
  if (at.toDateString() === now.toDateString()) return time
  const isThisYear = at.getFullYear() === now.getFullYear()
  const day = at.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
  })
  return `${day}, ${time}`
}
