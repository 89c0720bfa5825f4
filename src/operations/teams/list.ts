import { operation } from '#operations/kernel/declare-operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import { TeamView, teamViews } from '#operations/teams/shared/team-view.ts'

export default operation({
  id: 'teams.list',
  method: 'GET',
  path: '/v1/teams',
  scope: 'application',
  isExtension: true,
  summary: 'List teams',
  description:
    "Returns the application's teams of end users, newest first, with their spending in the mode of the request.",
  query: pageQuery,
  output: listOf(TeamView),
  async run({ query }, context) {
    const { application, store } = context
    const { next, rows } = await store.teams.list(application.id, pageOf(query))
    return answerOf({ next, rows: await teamViews(rows, context) }, (view) => view)
  },
})
