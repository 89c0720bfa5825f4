import type { DayReport, Strategy } from './simulate-day.ts'

export function dayTable(reports: readonly DayReport[]): string {
  const lines = reports.map((report) => [
    names[report.strategy],
    `${((100 * report.delivered) / report.calls).toFixed(3)} %`,
    (report.attempts / report.calls).toFixed(3),
    milliseconds(report.addedMs),
    milliseconds(report.firstTokenMs),
    `$${(report.costMicros / 1000 / report.delivered).toFixed(3)}`,
    `${((100 * report.wastedMicros) / report.costMicros).toFixed(3)} %`,
  ])
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const head = [
  'Control or router policy',
  'Delivered requests',
  'Attempts per request',
  'Milliseconds before the successful attempt, p50 / p95 / p99 / p99.9',
  'Milliseconds until the first token, p50 / p95 / p99 / p99.9',
  'Cost of 1,000 delivered responses',
  'Share of this cost that failed attempts caused',
]

const names: Readonly<Record<Strategy, string>> = {
  one_target: 'control: the first target, tried three times',
  retry_loop: 'control: up to five targets in order',
  priority: '`priority`',
  weighted: '`weighted`',
  cheapest: '`cheapest`',
  fastest: '`fastest`',
  leastBusy: '`leastBusy`',
  sticky: '`sticky`',
}

function milliseconds({ p50, p95, p99, p999 }: DayReport['addedMs']): string {
  return [p50, p95, p99, p999].map((ms) => Math.round(ms).toLocaleString('en')).join(' / ')
}
