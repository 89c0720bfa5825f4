import type { ReactNode } from 'react'
import type { Plot } from './axes.tsx'

/** Without this mark, the last value would look like a drop. */
export function UnfinishedBucket({ from, plot }: { readonly from: number; readonly plot: Plot }): ReactNode {
  const right = plot.left + plot.width
  return (
    <g data-unfinished>
      <rect
        x={from}
        y={plot.top}
        width={Math.max(right - from, 0)}
        height={plot.height}
        fill="var(--color-surface-2)"
      />
      <text x={right - 4} y={plot.top + 10} textAnchor="end" className="text-12" fill="var(--color-ink-3)">
        so far
      </text>
    </g>
  )
}
