import type { Application } from '#domain/store.ts'
import type { Context } from '#operations/operation.ts'
import { refused, type Refused } from '#operations/refused.ts'

/** The organization's application of that slug; another organization's is as unknown as none. */
export async function ownApplication(
  slug: string,
  { organization, store }: Context,
): Promise<Application | Refused<'not_found'>> {
  const application = await store.applications.bySlug(slug)
  if (application?.organizationId === organization.id) return application
  return refused('not_found', { resource: 'application', id: slug }, 'slug')
}
