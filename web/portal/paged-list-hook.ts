import { useState } from 'react'
import { useAnswer, type Answer } from './response-cache.ts'
import { asked } from './end-user-session.ts'

export interface Rows<Row> extends Answer<readonly Row[]> {
  readonly hasMore: boolean
  readonly isMoreComing: boolean
  readonly more: () => void
}

interface PageOf<Row> {
  readonly data: readonly Row[]
  readonly nextCursor: string | null
}

/** `more` appends the next page. */
export function useRows<Row>(
  key: string,
  read: (cursor: string | undefined) => PromiseLike<PageOf<Row>>,
): Rows<Row> {
  const first = useAnswer(key, () => read(undefined))
  const [added, setAdded] = useState<{ readonly to: unknown; readonly pages: readonly PageOf<Row>[] }>({
    to: null,
    pages: [],
  })
  const [isMoreComing, setComing] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  // Later pages are valid only while the first page is unchanged.
  const pages =
    first.value === undefined ? [] : [first.value, ...(added.to === first.value ? added.pages : [])]
  const cursor = pages.at(-1)?.nextCursor ?? null
  const more = async (): Promise<void> => {
    if (cursor === null || isMoreComing) return
    setComing(true)
    try {
      const next = await asked(() => read(cursor))
      setAdded({ to: first.value, pages: [...pages.slice(1), next] })
      setFailure(null)
    } catch (error) {
      setFailure(error)
    } finally {
      setComing(false)
    }
  }
  return {
    ...first,
    value: first.value === undefined ? undefined : pages.flatMap(({ data }) => data),
    error: first.error ?? failure,
    hasMore: cursor !== null,
    isMoreComing,
    more: () => void more(),
  }
}
