import type { ReactNode } from 'react'

/** In the chart, Enter applies the selected range too. */
export function RangeAction({
  onTake,
  words,
}: {
  readonly words: string
  readonly onTake: () => void
}): ReactNode {
  return (
    <button
      type="button"
      onClick={onTake}
      className="min-h-6 rounded border border-edge px-2 text-12 whitespace-nowrap text-ink hover:bg-surface-2"
    >
      Show {words}
    </button>
  )
}
