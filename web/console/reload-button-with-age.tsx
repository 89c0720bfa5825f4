import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { whenText } from '#web/ui/number-text.ts'
import { useComputerNow } from '#web/ui/current-time-hooks.ts'

export function RowsAge({
  of: { readAtMs, refetch },
}: {
  readonly of: { readonly readAtMs: number; readonly refetch: () => void }
}): ReactNode {
  const nowMs = useComputerNow(15_000)
  if (readAtMs === 0) return null
  return (
    <Button size="small" kind="quiet" title="Refresh" onClick={refetch}>
      <span className="text-ink-3">
        Updated {whenText(new Date(readAtMs).toISOString(), Math.max(nowMs, readAtMs))}
      </span>
    </Button>
  )
}
