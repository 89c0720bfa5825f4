import { calendarWindow } from '#money/periods-and-windows.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { answerOf, listOf, pageOf, pageQuery, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { memberViews, MemberView, TeamView, teamView } from '#operations/teams/shared/team-view.ts'

const { balanceUnits, displayName, limits, members, pools, reservedUnits, spentMicros } = TeamView.shape

export default operation({
  id: 'portal.team',
  method: 'GET',
  path: '/v1/portal/team',
  scope: 'end_user',
  isExtension: true,
  summary: 'Show the team that the end user pays for',
  description:
    'Returns the team whose members spend from the wallet of the signed-in end user, and one page of the members. Members are sorted by the creation time of the end user, newest first. For each member, the response contains the cap and the amount spent from the wallet in the current calendar month, in the mode of the session. If the end user pays for no team, the request returns 404 `not_found`.',
  query: pageQuery,
  output: listOf(MemberView).extend({
    displayName,
    members,
    balanceUnits,
    reservedUnits,
    spentMicros,
    limits,
    pools,
    resetsAt: Timestamp.meta({ description: 'When the next month begins.' }),
  }),
  errors: ['not_found'],
  async run({ query }, context) {
    const { endUser, store } = context
    const team = await store.teams.ofPayer(endUser.id)
    if (team === null) return refused('not_found', { resource: 'team', id: endUser.externalId })
    const view = await teamView(team, context)
    return {
      ...(await answerOf(memberViews(team, pageOf(query), context), (member) => member)),
      displayName: view.displayName,
      members: view.members,
      balanceUnits: view.balanceUnits,
      reservedUnits: view.reservedUnits,
      spentMicros: view.spentMicros,
      limits: view.limits,
      pools: view.pools,
      resetsAt: calendarWindow('month', modeTime(context)).endsAtMs ?? 0,
    }
  },
})
