/** A relative time would not identify a period. */
import type { ReactNode } from 'react'
import { useNow } from '#web/ui/current-time-hooks.ts'
import { dateText, exactTimeText } from '#web/ui/number-text.ts'

export function PeriodText({ from, to }: { readonly from: string; readonly to: string }): ReactNode {
  const nowMs = useNow(60_000)
  return (
    <span className="figures" title={`${exactTimeText(from)} to ${exactTimeText(to)}`}>
      {dateText(from, nowMs)} to {dateText(to, nowMs)}
    </span>
  )
}
