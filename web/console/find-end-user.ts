/** Searches the list, because an unknown ID is not an error while a member types or a file is checked. */
import type { EndUser } from '#sdk/generated/types.ts'
import { NotFoundError } from '#sdk/errors.ts'
import { call, useAnswer } from './operations/use-operation.ts'
import { scopeOptions, type Scope } from './application-and-mode.ts'

/** Maximum length of a search text that users.list accepts. */
const searchMax = 128
/** Maximum number of results that users.list returns. */
const rowsMax = 200

export const noSuchUser = 'No end user has this ID.'

/**
 * Null if no end user has the ID. Undefined while the list is loading, or if the end user may be on another page of it.
 */
export function useFoundUser(externalId: string): EndUser | null | undefined {
  const { data, isPlaceholderData } = useAnswer(
    'users.list',
    { search: externalId, limit: rowsMax },
    { isEnabled: externalId !== '' && externalId.length <= searchMax },
  )
  if (!data || isPlaceholderData) return undefined
  const found = data.data.find((user) => user.externalId === externalId)
  return found ?? (data.nextCursor === null ? null : undefined)
}

export async function findUser(externalId: string, scope: Scope): Promise<EndUser | null> {
  const options = scopeOptions(scope)
  if (externalId.length <= searchMax) {
    const { data, nextCursor } = await call('users.list', { search: externalId, limit: rowsMax }, options)
    const found = data.find((user) => user.externalId === externalId)
    if (found !== undefined || nextCursor === null) return found ?? null
  }
  try {
    return await call('users.show', { externalId }, options)
  } catch (error) {
    if (error instanceof NotFoundError) return null
    throw error
  }
}
