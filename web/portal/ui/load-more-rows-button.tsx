import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import type { Rows } from '#web/portal/paged-list-hook.ts'

export function MoreRows({ rows, what }: { readonly rows: Rows<unknown>; readonly what: string }): ReactNode {
  if (!rows.hasMore) return null
  return (
    <div className="mt-4">
      <Button size="large" className="w-full" isBusy={rows.isMoreComing} onClick={rows.more}>
        Show more {what}
      </Button>
    </div>
  )
}
