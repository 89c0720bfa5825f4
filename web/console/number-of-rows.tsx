import type { ReactNode } from 'react'
import { Count } from '#web/ui/formatted-values.tsx'

/** Reserves the space of the number while it loads. */
export function RowTotal({
  many,
  of,
  one,
}: {
  readonly of: number | null | undefined
  readonly one: string
  readonly many: string
}): ReactNode {
  return (
    <span className="min-w-24 text-13 text-ink-3">
      {typeof of === 'number' && (
        <>
          <Count of={of} /> {of === 1 ? one : many}
        </>
      )}
    </span>
  )
}
