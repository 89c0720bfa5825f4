import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEndUser, ownTeam } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { memberView, MemberView } from '#operations/teams/shared/team-view.ts'

export default operationOn(ownTeam, {
  id: 'teams.removeMember',
  method: 'DELETE',
  path: '/v1/teams/{slug}/members/{externalId}',
  isExtension: true,
  summary: 'Remove a member',
  description:
    "Removes an end user from the team in both modes, and returns the former member. New requests are paid from the end user's own money only. Requests in flight settle with the payer's wallet.",
  parameters: { externalId: ownEndUser.schema },
  output: MemberView,
  changes: ['teams', 'users'],
  async run(team, context, { path }) {
    const { store } = context
    const found = await ownEndUser.find(path.externalId, context, 'externalId')
    if (found instanceof Refused) return found
    const endUser = await store.teams.lockEndUser(found)
    if (endUser === null || endUser.payerId !== team.payerId)
      return refused('not_found', { resource: 'member', id: path.externalId }, 'externalId')
    await store.teams.setMember(endUser.id, null)
    return memberView(endUser, team, context)
  },
})
