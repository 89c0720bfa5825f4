/** Suggests end user IDs while an ID is typed. Other text is accepted too. */
import { useDeferredValue } from 'react'
import { useAnswer } from './operations/use-operation.ts'

export function useUserSuggestions(typed: string): readonly string[] {
  const search = useDeferredValue(typed.trim())
  const { data } = useAnswer('users.list', {
    limit: 10,
    // Longer text exceeds the maximum search length.
    ...(search !== '' && search.length <= 128 && { search }),
  })
  return data?.data.map(({ externalId }) => externalId) ?? []
}
