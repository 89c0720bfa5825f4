import { operationOn } from '#operations/kernel/operation.ts'
import { editableTeam } from './editable-team.ts'
import { TeamView, teamView } from './team-view.ts'

export default operationOn(editableTeam, {
  id: 'teams.show',
  method: 'GET',
  path: '/v1/teams/{slug}',
  isExtension: true,
  summary: 'Show a team',
  description: 'Returns a team of end users, with its spending in the mode of the request.',
  output: TeamView,
  run: teamView,
})
