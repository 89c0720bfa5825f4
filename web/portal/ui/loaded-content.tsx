import type { ReactNode } from 'react'
import { classNames } from '#web/ui/class-names.ts'
import { FailureNote } from '#web/ui/failure.tsx'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import type { Answer } from '#web/portal/response-cache.ts'

export function Shown<Value>({
  answer: { error, isOld, retry, value },
  children,
  rows = 3,
  what,
}: {
  readonly answer: Answer<Value>
  /** Appears in an error, such as "Your usage". */
  readonly what: string
  readonly rows?: number
  readonly children: (value: Value) => ReactNode
}): ReactNode {
  return (
    <>
      {error !== null && (
        <div className="mb-4">
          <FailureNote
            title={value === undefined ? `${what} couldn't be loaded.` : `${what} may be out of date.`}
            error={error}
            onRetry={retry}
          />
        </div>
      )}
      {value === undefined ? (
        error === null && <Waiting rows={rows} />
      ) : (
        <div className={classNames(isOld && 'opacity-60')} aria-busy={isOld || undefined}>
          {children(value)}
        </div>
      )}
    </>
  )
}

export function Waiting({ rows }: { readonly rows: number }): ReactNode {
  return (
    <div role="status" className="flex flex-col gap-3 py-3">
      <span className="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        // oxlint-disable-next-line react/no-array-index-key -- placeholders have no other key
        <Skeleton key={row} className="h-11" />
      ))}
    </div>
  )
}
