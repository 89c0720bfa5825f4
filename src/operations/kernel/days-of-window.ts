import { calendarWindow, dayMs, type Window } from '#money/periods-and-windows.ts'

/** A charge counts on the day on which it settled. */
export function windowDays(
  period: Window,
  nowMs: number,
): { readonly fromDay: number; readonly toDay: number | null } {
  const { endsAtMs, startsAtMs } = calendarWindow(period, nowMs)
  return {
    fromDay: Math.floor(startsAtMs / dayMs),
    toDay: endsAtMs === null ? null : Math.floor(endsAtMs / dayMs),
  }
}
