/** The table of operations determines which responses are outdated. */
import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { staleAfter } from '#web/generated/nouns-outdated-by-operation.ts'

/** Empty if the operation changes nothing. */
export function staleNouns(operation: string): readonly string[] {
  return staleAfter[operation] ?? []
}

/**
 * Marks the cached responses that an operation has made outdated. Resolves when those on the page are loaded again.
 *
 * @param input contains the resource's ID if the operation deletes a resource
 */
export async function reloadAfter(
  queries: QueryClient,
  operation: string,
  input: object = {},
): Promise<void> {
  const [noun, verb] = operation.split('.')
  const nouns = new Set(staleNouns(operation))
  const deleted = new Set<unknown>(verb === 'rm' ? Object.values(input) : [])
  // The server would return an error for a deleted resource.
  const isOfDeleted = ({ queryKey }: Cached): boolean =>
    verb === 'rm' &&
    (queryKey[0] === noun ? queryKey[1] !== 'list' : namedIn(queryKey).some((value) => deleted.has(value)))
  const isOutdated = ({ queryKey }: Cached): boolean => nouns.has(String(queryKey[0]))
  await queries.invalidateQueries({ predicate: isOutdated, refetchType: 'none' })
  await queries.refetchQueries({
    type: 'active',
    predicate: (query) => isOutdated(query) && !isOfDeleted(query),
  })
}

interface Cached {
  readonly queryKey: QueryKey
}

/** The key of a cached response is `[noun, verb, ..., input, scope]`. */
function namedIn(queryKey: QueryKey): unknown[] {
  const input = queryKey.at(-2)
  return typeof input === 'object' && input !== null ? Object.values(input) : []
}
