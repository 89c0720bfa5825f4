import type { Nouns } from '#domain/store.ts'

/** The active members of an organization, who are its seats: the owner, who founded it. */
export async function seatsOf(store: Pick<Nouns, 'organizations'>, organizationId: string): Promise<number> {
  return (await store.organizations.byId(organizationId)) === null ? 0 : 1
}
