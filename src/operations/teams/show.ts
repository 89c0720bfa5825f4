import { operationOn } from '#operations/kernel/declare-operation.ts'
import { teamWithEtag } from '#operations/teams/shared/team-with-etag.ts'
import { TeamView, teamView } from '#operations/teams/shared/team-view.ts'

export default operationOn(teamWithEtag, {
  id: 'teams.show',
  method: 'GET',
  path: '/v1/teams/{slug}',
  isExtension: true,
  summary: 'Show a team',
  description: 'Returns a team of end users, with its spending in the mode of the request.',
  output: TeamView,
  run: teamView,
})
