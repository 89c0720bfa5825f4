import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query'
import { AuthenticationError } from '#sdk/errors.ts'
import type { SignedIn } from '#sdk/generated/types.ts'
import { deleteDrafts } from '#web/ui/draft-of-form.ts'
import { api, setCsrfToken } from '../api-client.ts'
import { deleteKeys } from './keys-in-memory.ts'

export const sessionQuery = queryOptions({
  queryKey: ['sessions', 'current'],
  queryFn: async ({ client, queryKey }): Promise<SignedIn | null> => {
    try {
      const session = await api.sessions.current()
      setCsrfToken(session.csrfToken)
      return session
    } catch (error) {
      // If the session ends while a page is open, throw the error. The page is then kept until the member has signed in
      // again or leaves the page (main.tsx).
      if (error instanceof AuthenticationError && !client.getQueryData(queryKey)) {
        deleteTypedData()
        return null
      }
      throw error
    }
  },
  staleTime: 60_000,
})

/** Deletes the data of the member who was signed in before. */
export function beginSession(queries: QueryClient, session: SignedIn): void {
  queries.clear()
  deleteTypedData()
  setCsrfToken(session.csrfToken)
  queries.setQueryData(sessionQuery.queryKey, session)
}

/** Another person may use the browser next, so typed data is deleted too. */
export function endSession(queries: QueryClient): void {
  deleteTypedData()
  queries.setQueryData(sessionQuery.queryKey, null)
}

function deleteTypedData(): void {
  deleteDrafts()
  deleteKeys()
}

/** @throws if the session has ended */
export function useSession(): SignedIn {
  const { data } = useQuery(sessionQuery)
  if (!data) throw new Error('the session has ended')
  return data
}

const ranks = ['viewer', 'developer', 'admin', 'owner'] as const
export type Role = (typeof ranks)[number]

/** Pages hide an action from members without the role. The server also checks the role. */
export function useMay(role: Role): boolean {
  return hasRole(useSession(), role)
}

/** For code outside of components. `useMay` is the hook. */
export function hasRole({ member }: SignedIn, role: Role): boolean {
  return ranks.indexOf(member.role as Role) >= ranks.indexOf(role)
}
