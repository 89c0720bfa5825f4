/** Names of end users, offered while one types the id of a person; anything else may be typed. */
import { useDeferredValue } from 'react'
import { useAnswer } from './calls.ts'

export function useUserSuggestions(typed: string): readonly string[] {
  const search = useDeferredValue(typed.trim())
  const { data } = useAnswer('users.list', {
    limit: 10,
    // What is longer is no id, and what has controls in it came from elsewhere.
    ...(search !== '' && search.length <= 128 && { search }),
  })
  return data?.data.map(({ externalId }) => externalId) ?? []
}
