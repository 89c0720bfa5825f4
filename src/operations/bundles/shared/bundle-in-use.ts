import type { BundleRecord } from '#domain/billing/bundle-record.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { refused, type Refused } from '#operations/kernel/returned-error.ts'

export async function bundleInUse(
  bundle: BundleRecord,
  { application, store }: ApplicationContext,
): Promise<Refused<'in_use'> | null> {
  const people = await store.endUsers.countOn(application.id, bundle.id)
  if (people > 0) return usedByPeople(bundle.slug, people)
  if (application.defaultBundleId !== bundle.id) return null
  const { rows } = await store.bundles.list(application.id, { limit: 2, after: null })
  return rows.length > 1 ? usedAsDefault(bundle.slug) : null
}

export function usedByPeople(slug: string, people: number, param = 'slug'): Refused<'in_use'> {
  const users = people === 1 ? '1 end user' : `${people} end users`
  const remedy = `List them with GET /v1/end-users?bundle=${slug}, and move them with PUT /v1/end-users/<externalId>/subscription`
  return refused('in_use', { resource: 'bundle', id: slug, users, count: people, remedy }, param)
}

/** New end users need a default bundle, and no other bundle may silently become the default. */
export function usedAsDefault(slug: string, param = 'slug'): Refused<'in_use'> {
  const remedy = 'Make another bundle the default with POST /v1/bundles/<slug>/default first'
  return refused(
    'in_use',
    { resource: 'bundle', id: slug, users: 'new end users, as the default', remedy },
    param,
  )
}
