import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownGrant } from '#operations/kernel/find-resources-of-caller.ts'
import { GrantView, grantView } from '#operations/grants/shared/grant-view.ts'

export default operationOn(ownGrant, {
  id: 'grants.show',
  method: 'GET',
  path: '/v1/grants/{id}',
  summary: 'Show a grant',
  description: 'Returns one grant, with its progress and its reversals.',
  output: GrantView,
  isExtension: true,
  run: async (grant, { application, store }) =>
    grantView(grant, await store.corrections.reversals(application.id, [grant.id])),
})
