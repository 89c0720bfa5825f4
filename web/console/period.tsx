/** From one day to another: what an amount is for. Days, since how long ago is no name of a period. */
import type { ReactNode } from 'react'
import { useNow } from '#web/ui/now.ts'
import { dateText, exactTimeText } from '#web/ui/number-text.ts'

export function Period({ from, to }: { readonly from: string; readonly to: string }): ReactNode {
  const nowMs = useNow(60_000)
  return (
    <span className="figures" title={`${exactTimeText(from)} to ${exactTimeText(to)}`}>
      {dateText(from, nowMs)} to {dateText(to, nowMs)}
    </span>
  )
}
