import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { Count, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { EndUserView, endUserView } from '#operations/users/shared/end-user-view.ts'
import { forgetPerson } from '#operations/users/shared/erase-end-user.ts'
import { bringPoolsUpAfterCommit, endPlan } from '#operations/users/shared/assign-bundle-to-end-user.ts'

export default operationOn(ownEndUser, {
  id: 'users.rm',
  method: 'DELETE',
  path: '/v1/end-users/{externalId}',
  summary: 'Delete an end user',
  description:
    'Deletes an end user in both modes, and returns the deleted end user with the ID, `eu_…`.\n\n- Keys are revoked immediately. Requests in flight continue and are charged.\n- The remaining credit of the pools is removed. Invoices that are not due yet are voided; due invoices remain owed.\n- The external ID, the email address and the names of keys are erased. The external ID can be used for a new end user.\n- Files that the end user uploaded are deleted at their providers within minutes.\n- Ledger, usage and requests remain on record under the ID `eu_…`.\n- The wallet balance remains on the ledger and cannot be spent. The customer decides whether to refund this balance.',
  output: EndUserView.extend({
    keysRevoked: Count.meta({ description: 'Number of revoked keys, in both modes.' }),
    removedAt: Timestamp.meta({ description: 'When the end user was deleted.' }),
  }).meta({
    id: 'RemovedEndUser',
    description: 'A deleted end user, with the values at the time of the deletion.',
  }),
  changes: ['users', 'keys', 'subscription', 'requests'],
  async run(endUser, context) {
    const was = await endUserView(endUser, context)
    await endPlan(endUser, context)
    const keysRevoked = await forgetPerson(endUser, context)
    bringPoolsUpAfterCommit(endUser, context)
    return { ...was, keysRevoked, removedAt: context.nowMs }
  },
})
