import { operationOn } from '#operations/kernel/declare-operation.ts'
import { teamWithEtag } from '#operations/teams/shared/team-with-etag.ts'
import { TeamView, teamView } from '#operations/teams/shared/team-view.ts'

export default operationOn(teamWithEtag, {
  id: 'teams.rm',
  method: 'DELETE',
  path: '/v1/teams/{slug}',
  isExtension: true,
  summary: 'Delete a team',
  description:
    "Deletes the team, and returns the deleted team. The members and the payer of the team remain end users.\n\n- New requests of the members are paid from their own money only. Requests in flight settle with the payer's wallet.\n- The payer keeps the wallet with its balance. Past usage remains on record.",
  output: TeamView,
  configures: 'application',
  changes: ['teams', 'users'],
  async run(team, context) {
    const was = await teamView(team, context)
    await context.store.teams.remove(team)
    return was
  },
})
