import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'

/** `12 new`, over the rows, which stand still until somebody asks for them. Takes no room of its own. */
export function NewPill({
  count,
  onShow,
}: {
  readonly count: string
  readonly onShow: () => void
}): ReactNode {
  return (
    <div className="pointer-events-none sticky top-8 z-20 flex h-0 justify-center">
      <Button
        kind="primary"
        size="small"
        className="pointer-events-auto translate-y-1 shadow-float"
        onClick={onShow}
      >
        {count} new
      </Button>
    </div>
  )
}
