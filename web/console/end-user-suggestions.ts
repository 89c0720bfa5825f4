/** Any other text is also accepted. */
import { useDeferredValue } from 'react'
import { useAnswer } from './operations/use-operation.ts'

export function useUserSuggestions(typed: string): readonly string[] {
  const search = useDeferredValue(typed.trim())
  const { data } = useAnswer('users.list', {
    limit: 10,
    // users.list accepts at most 128 characters.
    ...(search !== '' && search.length <= 128 && { search }),
  })
  return data?.data.map(({ externalId }) => externalId) ?? []
}
