import { operation } from '#operations/operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/schemas.ts'
import { MemberView, memberView } from './member-view.ts'

export default operation({
  id: 'team.list',
  method: 'GET',
  path: '/v1/team',
  scope: 'organization',
  summary: 'List the team',
  description:
    'Members, and who is invited to be one (`joinedAt` is null). Newest first; removed ones are left out.',
  query: pageQuery,
  output: listOf(MemberView),
  run: ({ query }, { organization, store }) =>
    answerOf(store.members.list(organization.id, pageOf(query)), memberView),
})
