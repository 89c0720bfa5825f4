/**
 * Finds an end user by external ID. The look-up uses the list of end users, because an operation on one end user fails
 * if the ID is unknown. While a member types an ID, or while a file is checked, an unknown ID is not an error.
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

/**
 * Returns the end user with this external ID. Null if no end user has that ID. Undefined while the list is loading, or
 * if the end user may be on another page of the list.
 */
export function useFoundUser(externalId: string): EndUser | null | undefined {
  const { data, isPlaceholderData } = useAnswer(
    'users.list',
    { search: externalId, limit: rowsMax },
    { isEnabled: externalId !== '' && externalId.length <= searchMax },
  )
  if (!data || isPlaceholderData) return undefined
  const found = data.data.find((user) => user.externalId === externalId)
  // If the list has another page, the end user may be on that page.
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
