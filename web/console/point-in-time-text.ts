import { formatterOf, zonedMs } from '#web/ui/time-zone.ts'

/** Such as `14:03:22` today, and `21 Nov, 14:03:22` on another day or with `hasDate`. */
export function momentText(iso: string, nowMs: number, { hasDate = false } = {}): string {
  const at = Date.parse(iso)
  const time = formatterOf(clock).format(at)
  const [then, now] = [new Date(zonedMs(at)), new Date(zonedMs(nowMs))]
  if (!hasDate && then.toISOString().slice(0, 10) === now.toISOString().slice(0, 10)) return time
  const isThisYear = then.getUTCFullYear() === now.getUTCFullYear()
  return `${formatterOf(isThisYear ? day : dayOfYear).format(at)}, ${time}`
}

const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
const day = { day: 'numeric', month: 'short' } as const
const dayOfYear = { day: 'numeric', month: 'short', year: 'numeric' } as const
