/** The filters are in the URL, so that a link shows the same data. */
import type { Filter, FilterValues } from '#web/ui/filter-suggestions.ts'
import { useSearchTexts, useSetSearch } from './url-parameters.ts'

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
