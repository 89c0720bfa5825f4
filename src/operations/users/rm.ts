import { operationOn } from '#operations/operation.ts'
import { ownEndUser } from '#operations/own.ts'
import { Count, Timestamp } from '#operations/schemas.ts'
import { EndUserView, endUserView } from './end-user-view.ts'
import { forgetPerson } from './forget-person.ts'
import { bringPoolsUpAfterCommit, endPlan } from './plan.ts'

export default operationOn(ownEndUser, {
  id: 'users.rm',
  method: 'DELETE',
  path: '/v1/end-users/{externalId}',
  summary: 'Remove an end user',
  description:
    "Ends the person's keys in both modes from the next call on, and takes off their pools what is free; calls in flight end and are charged. Invoices that are not due yet are void, those that are remain owed. External id, email and names of keys are forgotten; ledger, usage and requests stay under the service's own id, which this answers, and under which they can still be read. What is left in the wallet stays on the ledger as it is: nobody can spend it, and whether to pay it back is the customer's decision. The external id is free again, for a new person.",
  output: EndUserView.extend({
    keysRevoked: Count.meta({ description: 'Number of keys that this revoked, in both modes.' }),
    removedAt: Timestamp.meta({ description: 'When the person was removed: now.' }),
  }).meta({ id: 'RemovedEndUser', description: 'A person as they were when they were removed.' }),
  async run(endUser, context) {
    const was = await endUserView(endUser, context)
    await endPlan(endUser, context)
    const keysRevoked = await forgetPerson(endUser, context)
    bringPoolsUpAfterCommit(endUser, context)
    return { ...was, keysRevoked, removedAt: context.nowMs }
  },
})
