import type { ReactNode } from 'react'
import { dayMs } from '#money/periods-and-windows.ts'
import type { PortalUsageOutput } from '#sdk/portal.ts'
import { Bars } from '#web/ui/charts/bars.tsx'
import type { ChartSeries } from '#web/ui/charts/chart-data.ts'
import { moneyText } from '#web/ui/money-text.ts'

export default function UsageBars({
  height,
  isStacked,
  label,
  onRange,
  usage,
}: {
  readonly usage: Pick<PortalUsageOutput, 'days' | 'from' | 'to'>
  readonly label: string
  readonly isStacked: boolean
  readonly height: number
  readonly onRange?: (fromMs: number, toMs: number) => void
}): ReactNode {
  const fromMs = Date.parse(usage.from)
  const count = Math.round((Date.parse(usage.to) - fromMs) / dayMs)
  const times = Array.from({ length: count }, (_, at) => fromMs + at * dayMs)
  const bars = (
    <Bars
      label={label}
      times={times}
      stepMs={dayMs}
      series={seriesOf(usage, count, isStacked)}
      format={(micros: bigint) => moneyText(micros)}
      height={height}
      nowMs={Date.parse(usage.to) - 1}
      {...(onRange && { onRange })}
      empty="No usage on these days."
    />
  )
  // A single series has the color of the brand. Several series have the colors of charts.
  return isStacked ? bars : <div className="of-brand">{bars}</div>
}

function seriesOf(
  { days, from }: Pick<PortalUsageOutput, 'days' | 'from'>,
  count: number,
  isStacked: boolean,
): ChartSeries<bigint>[] {
  const byName = new Map<string, bigint[]>()
  for (const { billedMicros, date, requestedModel } of days) {
    const name = isStacked ? requestedModel : ''
    const values = byName.get(name) ?? Array.from({ length: count }, () => 0n)
    byName.set(name, values)
    const at = Math.round((Date.parse(date) - Date.parse(from)) / dayMs)
    values[at] = (values[at] ?? 0n) + BigInt(billedMicros)
  }
  return [...byName].map(([name, values]) => ({ key: name || 'all', name: name || 'Spent', values }))
}
