import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { NotFoundError } from '#sdk/errors.ts'
import { FailureNote } from '#web/ui/failure.tsx'
import { Sheet } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { OnceRead, type Revised } from './forms-with-revision.tsx'
import { useSearchTexts } from './url-parameters.ts'

interface SheetForm<T> {
  readonly about?: string
  readonly form: (
    revised: Revised<T>,
    ends: { readonly onDone: () => void; readonly onReload: () => void },
  ) => ReactNode
}

export function RevisedSheet<T>({
  children,
  fault,
  forms,
  noun,
  onBack,
  onClose,
  onStep,
  query,
  title,
}: {
  readonly query: UseQueryResult<Revised<T>>
  readonly noun: string
  readonly title: string
  readonly fault: string
  /** The keys are the values of `act` in the URL. */
  readonly forms: Readonly<Record<string, SheetForm<T>>>
  readonly children: (revised: Revised<T>) => ReactNode
  readonly onBack: () => void
  readonly onClose: () => void
  readonly onStep?: (by: 1 | -1) => void
}): ReactNode {
  const { act } = useSearchTexts()
  const { data, error, refetch } = query
  const open = act === undefined ? undefined : forms[act]
  // If only a repeated load fails, an open form and its text remain.
  const isLost = error !== null && (data === undefined || error instanceof NotFoundError)
  const onReload = (): void => {
    void refetch()
    onBack()
  }
  return (
    <Sheet
      isOpen
      onClose={onClose}
      {...(onStep && { onStep })}
      title={<bdi>{title}</bdi>}
      about={open?.about}
    >
      {error && (isLost || !open) && (
        <div className="mb-4">
          <FailureNote error={error} title={fault} onRetry={() => void refetch()} />
        </div>
      )}
      {isLost ? null : !data ? (
        <Skeleton className="h-40" />
      ) : open ? (
        <OnceRead key={act} noun={noun} query={query}>
          {(revised) => open.form(revised, { onDone: onBack, onReload })}
        </OnceRead>
      ) : (
        children(data)
      )}
    </Sheet>
  )
}
