import type { Nouns } from '#domain/store.ts'

/** The seats of an organization: the people who have joined its team, and one while nobody has. */
export async function seatsOf(store: Pick<Nouns, 'members'>, organizationId: string): Promise<number> {
  return Math.max(1, await store.members.joinedCount(organizationId))
}
