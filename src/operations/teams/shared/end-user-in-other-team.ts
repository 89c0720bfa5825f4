import type { EndUser } from '#domain/end-user-record.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { refused, type Refused } from '#operations/kernel/returned-error.ts'

/** Null if the end user is the payer of no team and a member of no other team. */
export async function usedByTeam(
  { externalId, id, payerId }: EndUser,
  teamPayerId: string | null,
  { store }: ApplicationContext,
  param: string,
): Promise<Refused<'in_use'> | null> {
  const paid = await store.teams.ofPayer(id)
  const joined = payerId === null || payerId === teamPayerId ? null : await store.teams.ofPayer(payerId)
  const team = paid ?? joined
  if (team === null) return null
  const [users, remedy] =
    paid === null
      ? [`the team ${team.slug}, as a member`, `Remove the end user from that team first`]
      : [`the team ${team.slug}, as its payer`, `Name another end user, or delete that team first`]
  return refused('in_use', { resource: 'end user', id: externalId, users, remedy }, param)
}
