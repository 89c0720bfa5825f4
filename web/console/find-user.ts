/**
 * One person by their id, whether they are there or not. The list is asked: not to find somebody is no error while an
 * id is typed or a file is checked.
 */
import type { EndUser } from '#sdk/generated/types.ts'
import { NotFoundError } from '#sdk/errors.ts'
import { call, useAnswer } from './calls.ts'
import { scopeOptions, type Scope } from './scope.ts'

/** The longest that users.list searches for, and most of what it answers. */
const searchMax = 128
const rowsMax = 200

/** Undefined: not known yet; null: there is nobody of that id. */
export function useFoundUser(externalId: string): EndUser | null | undefined {
  const { data, isPlaceholderData } = useAnswer(
    'users.list',
    { search: externalId, limit: rowsMax },
    { isEnabled: externalId !== '' && externalId.length <= searchMax },
  )
  if (!data || isPlaceholderData) return undefined
  const found = data.data.find((user) => user.externalId === externalId)
  // Behind a full page there may be more of them.
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
