/** Days are in UTC, as in the API. */
import { dayMs } from '#money/periods-and-windows.ts'
import type { PortalUsageOutput } from '#sdk/portal.ts'

export const ranges = [
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['90d', 'Last 90 days'],
  ['month', 'This month'],
  ['before', 'Last month'],
  ['year', 'Last 365 days'],
] as const
export type RangeName = (typeof ranges)[number][0]

export interface Days {
  /** Such as 2026-11-20. */
  readonly from: string
  /** The day after the last day of the range. */
  readonly to: string
}

/**
 * @param end the day after today, as the API returned it; in test mode, by the test clock
 * @param custom the days in the address; an invalid range becomes the last 30 days
 */
export function daysOf(
  name: string,
  custom: { readonly from: string | null; readonly to: string | null },
  end: string,
): Days {
  const endMs = Date.parse(end)
  if (name === 'custom') {
    const [fromMs, toMs] = [custom.from, custom.to].map((day) => (isDay(day) ? Date.parse(day) : Number.NaN))
    const isRange =
      fromMs !== undefined && toMs !== undefined && fromMs < toMs && toMs - fromMs <= 366 * dayMs
    if (isRange) return { from: dayOf(fromMs), to: dayOf(toMs) }
  }
  const today = new Date(endMs - dayMs)
  const monthMs = (by: number): number => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + by, 1)
  if (name === 'month') return { from: dayOf(monthMs(0)), to: end }
  if (name === 'before') return { from: dayOf(monthMs(-1)), to: dayOf(monthMs(0)) }
  const lengths: Readonly<Record<string, number>> = { '7d': 7, '90d': 90, year: 365 }
  return { from: dayOf(endMs - (lengths[name] ?? 30) * dayMs), to: end }
}

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

function isDay(text: string | null): text is string {
  return text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}

export interface Sum {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly billedMicros: string
}

export function ofName(
  usage: PortalUsageOutput,
  name: string | null,
): Pick<PortalUsageOutput, 'days' | 'rows'> & { readonly totals: Sum } {
  if (name === null) return usage
  const days = usage.days.filter(({ requestedModel }) => requestedModel === name)
  const rows = usage.rows.filter(({ requestedModel }) => requestedModel === name)
  return { days, rows, totals: sumOf(days) }
}

/** Newest first. */
export function byDay(days: PortalUsageOutput['days']): (Sum & { readonly date: string })[] {
  return [...Map.groupBy(days, ({ date }) => date)].map(([date, used]) => ({ date, ...sumOf(used) }))
}

function sumOf(used: readonly Sum[]): Sum {
  return used.reduce<Sum>(
    (sum, one) => ({
      calls: sum.calls + one.calls,
      inputTokens: sum.inputTokens + one.inputTokens,
      outputTokens: sum.outputTokens + one.outputTokens,
      billedMicros: String(BigInt(sum.billedMicros) + BigInt(one.billedMicros)),
    }),
    { calls: 0, inputTokens: 0, outputTokens: 0, billedMicros: '0' },
  )
}
