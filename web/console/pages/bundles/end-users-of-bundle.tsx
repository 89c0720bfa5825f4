import type { ReactNode } from 'react'
import { FailureNote } from '#web/ui/failure.tsx'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Nothing } from '#web/ui/formatted-values.tsx'
import { useAnswer } from '../../operations/use-operation.ts'
import { Go } from '../../shell/console-links.tsx'

export function People({ slug }: { readonly slug: string }): ReactNode {
  const { data, error } = usePeople(slug)
  if (error) return <Nothing reason={error.message} />
  if (!data) return <Nothing reason="Counting" />
  return (
    <Go to="/users" search={{ bundle: slug }} className="hover:underline">
      <Count of={data.total} />
    </Go>
  )
}

export function MeaningForPeople({
  children,
  slug,
}: {
  readonly slug: string
  readonly children: ReactNode
}): ReactNode {
  const { data, error } = usePeople(slug)
  if (error) return <FailureNote error={error} title="The end users on this bundle could not be counted." />
  // The title keeps its height while the end users are counted.
  return (
    <Note title={data ? countWords(data.total ?? 0) : 'Counting the end users on this bundle.'}>
      {children}
    </Note>
  )
}

function countWords(total: number): ReactNode {
  if (total === 0) return 'No end users are on this bundle yet.'
  if (total === 1) return '1 end user is on this bundle.'
  return (
    <>
      <Count of={total} /> end users are on this bundle.
    </>
  )
}

function usePeople(slug: string) {
  return useAnswer('users.list', { bundle: slug, limit: 1, total: true })
}
