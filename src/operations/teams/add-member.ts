import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEndUser, ownTeam } from '#operations/kernel/find-resources-of-caller.ts'
import { optional, putBody, putValues } from '#operations/kernel/put-fields.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { usedByTeam } from '#operations/teams/shared/end-user-in-other-team.ts'
import { cap, memberView, MemberView } from '#operations/teams/shared/team-view.ts'

const memberPut = { capMicros: optional(cap, null) }

export default operationOn(ownTeam, {
  id: 'teams.addMember',
  method: 'PUT',
  path: '/v1/teams/{slug}/members/{externalId}',
  isExtension: true,
  summary: 'Add a member or change a cap',
  description:
    "Adds an end user to the team, or changes the cap of a member, in both modes, starting with the next request.\n\n- The cap limits the amount that the member spends from the payer's wallet in a calendar month (UTC). If the cap is lowered, the amount that was already spent in the month counts toward the new cap.\n- A request beyond the cap is paid from the member's own wallet, and then on demand.\n- An end user can be in one team. If the end user belongs to another team, the request returns 409 `in_use`.\n- On a distributed database, the end user and the payer must be on the same shard. To ensure this, create the end user with `users.create` and `forTeam`.",
  parameters: { externalId: ownEndUser.schema },
  body: putBody(memberPut),
  output: MemberView,
  errors: ['in_use'],
  changes: ['teams', 'users'],
  async run(team, context, { body, path }) {
    const { store } = context
    const found = await ownEndUser.find(path.externalId, context, 'externalId')
    if (found instanceof Refused) return found
    const gone = (resource: string, id: string) => refused('not_found', { resource, id }, 'slug')
    if (!(await store.teams.lock(team))) return gone('team', team.slug)
    const endUser = await store.teams.lockEndUser(found)
    if (endUser === null) return gone('end user', path.externalId)
    const used = await usedByTeam(endUser, team.payerId, context, 'externalId')
    if (used !== null) return used
    const isPayable = await store.teams.payableBy(team.payerId)
    if (!isPayable(endUser.id)) {
      const reason = `The end user is on another shard than the payer of the team. Create an end user with users.create and forTeam=${team.slug}`
      return refused('invalid_request', { reason }, 'externalId')
    }
    const isMember = endUser.payerId === team.payerId
    const fields = putValues(memberPut, body, isMember ? { capMicros: endUser.payerCapMicros } : null)
    if (fields instanceof Refused) return fields
    const { capMicros } = fields
    await store.teams.setMember(endUser.id, { id: team.payerId, capMicros })
    return memberView({ ...endUser, payerId: team.payerId, payerCapMicros: capMicros }, team, context)
  },
})
