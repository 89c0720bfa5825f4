/** A list of which the end user has loaded several pages. When the list is loaded again, it keeps its length. */
import { useLayoutEffect, useRef, useState } from 'react'
import { keep, useAnswer, type Answer } from './response-cache.ts'
import { asked } from './end-user-session.ts'

export interface Rows<Row, Whole = unknown> extends Answer<readonly Row[]> {
  /** The newest response, with the rows of all loaded pages. */
  readonly whole: Whole | undefined
  readonly hasMore: boolean
  readonly isMoreComing: boolean
  /** Null if the next page could be loaded. */
  readonly moreError: unknown
  readonly more: () => void
}

interface PageOf<Row> {
  readonly data: readonly Row[]
  readonly nextCursor: string | null
}

interface Part {
  readonly limit: number
  readonly cursor?: string
}

const rowsOfPage = 50
/** The API returns at most this number of rows. */
const rowsMax = 200

/** `more` appends the next page. */
export function useRows<Row, Whole extends PageOf<Row>>(
  key: string,
  read: (part: Part) => PromiseLike<Whole & PageOf<Row>>,
): Rows<Row, Whole> {
  const shown = useRef<{ readonly key: string; readonly page: (Whole & PageOf<Row>) | undefined }>(null)
  const answer = useAnswer(key, () => readRows(read, shown.current?.page?.data.length ?? 0))
  // A layout effect runs before the effect with which `useAnswer` loads the rows.
  useLayoutEffect(() => {
    shown.current = { key, page: answer.isOld ? undefined : answer.value }
  })
  // The key of the list to which the next page belongs.
  const [coming, setComing] = useState('')
  const [failed, setFailed] = useState({ key, error: null as unknown })
  const isMoreComing = coming === key
  const more = async (): Promise<void> => {
    if (isMoreComing) return
    setComing(key)
    setFailed({ key, error: null })
    try {
      for (;;) {
        const before = shown.current?.page
        const cursor = before?.nextCursor ?? null
        // The end user may have chosen another filter in the meantime.
        if (before === undefined || cursor === null || shown.current?.key !== key) break
        // oxlint-disable-next-line no-await-in-loop -- a page that was loaded before a reload may not follow its rows
        const next = await asked(() => read({ limit: rowsOfPage, cursor }))
        if (shown.current.page !== before) continue
        keep(key, joined(before, next))
        break
      }
    } catch (error) {
      setFailed({ key, error })
    } finally {
      setComing((now) => (now === key ? '' : now))
    }
  }
  return {
    ...answer,
    value: answer.value?.data,
    whole: answer.value,
    hasMore: (answer.value?.nextCursor ?? null) !== null,
    isMoreComing,
    moreError: failed.key === key ? failed.error : null,
    more: () => void more(),
  }
}

/** Reads at least `count` rows, if the list has them. */
async function readRows<Row, Whole extends PageOf<Row>>(
  read: (part: Part) => PromiseLike<Whole>,
  count: number,
): Promise<Whole> {
  const limitOf = (missing: number): number => Math.min(Math.max(missing, rowsOfPage), rowsMax)
  let all = await read({ limit: limitOf(count) })
  while (all.nextCursor !== null && all.data.length < count) {
    // oxlint-disable-next-line no-await-in-loop -- a page states the cursor of the next page
    const next = await read({ limit: limitOf(count - all.data.length), cursor: all.nextCursor })
    all = joined(all, next)
  }
  return all
}

function joined<Whole extends PageOf<unknown>>(before: Whole, next: Whole): Whole {
  return { ...before, data: [...before.data, ...next.data], nextCursor: next.nextCursor }
}
