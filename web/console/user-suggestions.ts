/** Suggests end user IDs while the user types. Any other text is also accepted. */
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
