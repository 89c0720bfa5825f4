/** The order of a list is in the URL, so that a link shows the same order. */
import { useMemo } from 'react'
import type { Sort } from '#web/ui/table-parts.tsx'
import { useSearchTexts, useSetSearch } from './url-parameters.ts'

/**
 * @returns the sort order for the table, and as input of the list operation
 * @param sorts the sort keys that the operation supports
 */
export function useSort<By extends string>(
  sorts: readonly By[],
): readonly [Sort, { readonly sort?: By; readonly direction?: 'asc' | 'desc' }] {
  const { direction, sort } = useSearchTexts()
  const setSearch = useSetSearch()
  const by = sorts.find((one) => one === sort)
  const isRising = direction === 'asc'
  const query = useMemo(
    () => (by === undefined ? {} : { sort: by, direction: isRising ? ('asc' as const) : ('desc' as const) }),
    [by, isRising],
  )
  const onChange = (next: string, rises: boolean): void =>
    setSearch({ sort: next, direction: rises ? 'asc' : 'desc' })
  return [{ by: by ?? 'created', isRising: by !== undefined && isRising, onChange }, query]
}
