/** How many people are on a bundle: exact up to a page of them. */
import type { ReactNode } from 'react'
import { FailureNote } from '#web/ui/failure.tsx'
import { Note } from '#web/ui/state.tsx'
import { Count, Nothing } from '#web/ui/values.tsx'
import { useAnswer } from '../../calls.ts'
import { Go } from '../../shell/go.tsx'

const pageSize = 200

export function People({ slug }: { readonly slug: string }): ReactNode {
  const { data, error } = usePeople(slug)
  if (error) return <Nothing reason={error.message} />
  if (!data) return <Nothing reason="Being counted" />
  return (
    <Go to="/users" search={{ bundle: slug }} className="hover:underline">
      <Count of={data.data.length} />
      {data.nextCursor !== null && ' or more'}
    </Go>
  )
}

/** What a change of the bundle means for those who are on it. */
export function MeaningForPeople({
  children,
  slug,
}: {
  readonly slug: string
  readonly children: ReactNode
}): ReactNode {
  const { data, error } = usePeople(slug)
  if (error) return <FailureNote error={error} title="Who is on it cannot be counted." />
  // It stands there while it counts: what is below stays where it is.
  return <Note title={data ? countWords(data) : 'People on it are being counted.'}>{children}</Note>
}

function countWords({
  data,
  nextCursor,
}: {
  readonly data: readonly unknown[]
  readonly nextCursor: string | null
}): ReactNode {
  if (data.length === 0) return 'Nobody is on it yet.'
  if (data.length === 1 && nextCursor === null) return '1 person is on it.'
  return (
    <>
      <Count of={data.length} />
      {nextCursor !== null && ' or more'} people are on it.
    </>
  )
}

function usePeople(slug: string) {
  return useAnswer('users.list', { bundle: slug, limit: pageSize })
}
