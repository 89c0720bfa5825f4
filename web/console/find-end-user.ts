/**
 * Finds an end user by ID. The look-up uses the list of end users, because an unknown ID is not an error while it is
 * typed or a file is checked.
 */
import type { EndUser } from '#sdk/generated/types.ts'
import { NotFoundError } from '#sdk/errors.ts'
import { call, useAnswer } from './operations/use-operation.ts'
import { scopeOptions, type Scope } from './application-and-mode.ts'

/** Maximum length of a search text of users.list. */
const searchMax = 128
/** Maximum number of results of users.list. */
const rowsMax = 200

export const noSuchUser = 'No end user has this ID.'

/** Returns the end user with this external ID. Undefined while the list is loading. Null if no end user has that ID. */
export function useFoundUser(externalId: string): EndUser | null | undefined {
  const { data, isPlaceholderData } = useAnswer(
    'users.list',
    { search: externalId, limit: rowsMax },
    { isEnabled: externalId !== '' && externalId.length <= searchMax },
  )
  if (!data || isPlaceholderData) return undefined
  const found = data.data.find((user) => user.externalId === externalId)
  // If a page is full, more matches may follow.
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
