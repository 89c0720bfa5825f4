import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import type { Rows } from '#web/portal/paged-list-hook.ts'

export function MoreRows({
  rows: { hasMore, isMoreComing, more, moreError },
  what,
}: {
  readonly rows: Rows<unknown>
  readonly what: string
}): ReactNode {
  if (!hasMore) return null
  return (
    <div className="mt-4">
      {moreError === null ? (
        <Button size="large" className="w-full" isBusy={isMoreComing} onClick={more}>
          Show more {what}
        </Button>
      ) : (
        <FailureNote title={`More ${what} couldn't be loaded.`} error={moreError} onRetry={more} />
      )}
    </div>
  )
}
