/** The filters of a page, in the address: a link shows what was seen. */
import type { Filter, FilterValues } from '#web/ui/filter-offers.ts'
import { useSearchTexts, useSetSearch } from './search.ts'

/** @returns what `FilterBar` takes; the values are those of the given filters alone */
export function useFilters(filters: readonly Filter[]): {
  readonly filters: readonly Filter[]
  readonly values: FilterValues
  readonly onChange: (changes: Readonly<Record<string, string | null>>) => void
} {
  const search = useSearchTexts()
  const onChange = useSetSearch()
  const values: Record<string, string> = {}
  for (const { name } of filters) {
    const value = search[name]
    if (value !== undefined && value !== '') values[name] = value
  }
  return { filters, values, onChange }
}
