import { operationOn } from '#operations/operation.ts'
import { ownGrant } from '#operations/own.ts'
import { GrantView, grantView } from './grant-view.ts'

export default operationOn(ownGrant, {
  id: 'grants.show',
  method: 'GET',
  path: '/v1/grants/{id}',
  summary: 'Show a grant',
  description: 'One grant, and how many of its people have it so far.',
  output: GrantView,
  isExtension: true,
  run: async (grant) => grantView(grant),
})
