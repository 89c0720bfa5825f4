import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'

/** The table does not change until the button is pressed. The button takes no space in the layout. */
export function NewRowsPill({
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
