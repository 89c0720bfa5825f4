import { useState } from 'react'
import type { ChartValue, TimeData } from './chart-data.ts'
import { nothingChosen, rangeOf, type Chosen } from './keyboard-selection.ts'
import { endOf } from './describe-time-chart.ts'

export function useChosen(
  data: TimeData<ChartValue>,
  onRange: ((fromMs: number, toMs: number) => void) | undefined,
): {
  readonly chosen: Chosen
  readonly setChosen: (chosen: Chosen) => void
  /** Includes both ends. */
  readonly range: readonly [number, number] | null
  /** Null if no point is selected, or if the selected point no longer exists. */
  readonly at: number | null
  /** The highlighted points: the range, or else the point. */
  readonly lit: readonly [number, number] | null
  readonly take: (first: number, last: number) => void
} {
  const [chosen, setChosen] = useState<Chosen>(nothingChosen)
  const count = data.times.length
  const range = rangeOf(chosen, count)
  const at = chosen.at !== null && chosen.at < count ? chosen.at : null
  return {
    chosen,
    setChosen,
    range,
    at,
    lit: range ?? (at === null ? null : [at, at]),
    take(first, last) {
      setChosen(nothingChosen)
      onRange?.(data.times[first] ?? 0, endOf(data, last))
    },
  }
}
