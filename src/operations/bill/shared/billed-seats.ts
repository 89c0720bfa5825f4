import type { Nouns } from '#domain/store-interface.ts'

/** The members who have joined the team, but at least one. */
export async function seatsOf(store: Pick<Nouns, 'members'>, organizationId: string): Promise<number> {
  return Math.max(1, await store.members.joinedCount(organizationId))
}
