import { namesLedTo } from '#domain/router-records.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { refused, type Refused } from '#operations/kernel/returned-error.ts'

/** The error lists the routers that route to the name. Null if no router does. */
export async function nameInUse(
  kind: 'alias' | 'router',
  name: string,
  { application, store }: ApplicationContext,
): Promise<Refused<'in_use'> | null> {
  const routers = await store.routers.all(application.id)
  const users = routers.filter((router) => namesLedTo(router, kind).includes(name)).map((one) => one.name)
  if (users.length === 0) return null
  const resource = kind === 'alias' ? 'model' : 'router'
  return usedByRouters(resource, name, users, 'name')
}

export function usedByRouters(
  resource: 'model' | 'router',
  name: string,
  users: readonly string[],
  param: string,
): Refused<'in_use'> {
  const remedy = `Remove the ${resource} from their targets with PUT /v1/routers/<name> first`
  const shown = users.slice(0, 8).join(', ')
  return refused('in_use', { resource, id: name, users: `the routers ${shown}`, remedy }, param)
}
