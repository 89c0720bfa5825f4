import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownTeam } from '#operations/kernel/find-resources-of-caller.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import { memberViews, MemberView } from '#operations/teams/shared/team-view.ts'

export default operationOn(ownTeam, {
  id: 'teams.members',
  method: 'GET',
  path: '/v1/teams/{slug}/members',
  isExtension: true,
  summary: 'List members of a team',
  description:
    "Returns the members of a team, sorted by the creation time of the end user, newest first. For each member, the response contains the amount spent from the payer's wallet in the current calendar month, in the mode of the request. The response also contains the amounts spent from the payer's current shared pools.",
  query: pageQuery,
  output: listOf(MemberView),
  async run(team, context, { query }) {
    return answerOf(memberViews(team, pageOf(query), context), (view) => view)
  },
})
