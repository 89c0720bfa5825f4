/**
 * Forms for configuration that several members edit. A change names the revision on which it is based. If a newer
 * revision exists, saving is rejected, and the member must reload first.
 */
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { ApiError } from '#sdk/errors.ts'
import type { Call } from '#sdk/call.ts'
import { Button } from '#web/ui/button.tsx'
import { Note, Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { call, useIsChanging, type AnswerOf, type OperationId } from './operations/use-operation.ts'
import { scopeOptions, useScope } from './application-and-mode.ts'

export interface Revised<T> {
  readonly value: T
  /** Empty if the resource has no revision. */
  readonly ifMatch: { readonly ifMatch?: string }
}

export function useRevised<Id extends OperationId>(
  id: Id,
  input: Parameters<typeof call<Id>>[1],
  { isEnabled = true }: { readonly isEnabled?: boolean } = {},
): UseQueryResult<Revised<AnswerOf<Id>>> {
  const scope = useScope()
  return useQuery({
    queryKey: [...id.split('.'), 'revised', input, scope],
    queryFn: async ({ signal }) => {
      const asked = call(id, input, { ...scopeOptions(scope), signal }) as unknown as Call<AnswerOf<Id>>
      const { data, etag } = await asked.withResponse()
      return { value: data, ifMatch: etag === null ? {} : { ifMatch: etag } }
    },
    enabled: isEnabled,
  })
}

/**
 * Renders a form only when the data is current. With an outdated revision, saving would report a conflict that does not
 * exist. A form keeps the revision with which it was opened.
 */
export function OnceRead<T>({
  children,
  noun,
  query,
  waiting = <Skeleton className="h-40" />,
}: {
  /** The form waits for changes of this noun. */
  readonly noun: string
  readonly query: Pick<UseQueryResult<Revised<T>>, 'data' | 'isFetching'>
  readonly children: (revised: Revised<T>) => ReactNode
  readonly waiting?: ReactNode
}): ReactNode {
  const isChanging = useIsChanging(noun)
  const [isOpen, setOpen] = useState(false)
  const { data, isFetching } = query
  const isRead = data !== undefined && !isFetching && !isChanging
  if (isRead && !isOpen) setOpen(true)
  return data !== undefined && (isOpen || isRead) ? children(data) : waiting
}

export function ChangedMeanwhile({
  failure,
  onReload,
}: {
  readonly failure: unknown
  readonly onReload: () => void
}): ReactNode {
  if (!(failure instanceof ApiError) || failure.status !== 412) return null
  return (
    <Note
      tone="held"
      title="Another team member has changed this data since you opened it"
      action={
        <Button size="small" onClick={onReload}>
          Load current version
        </Button>
      }
    >
      <p>Your changes were not saved. Load the current version, then make your changes again.</p>
    </Note>
  )
}
