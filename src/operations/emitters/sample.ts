import { operation } from '#operations/kernel/declare-operation.ts'
import { forwardedBatch, ForwardedBatch } from '#operations/emitters/shared/forwarded-batch-view.ts'
import { sampleEvent } from '#operations/emitters/shared/sample-usage-event.ts'

export default operation({
  id: 'emitters.sample',
  method: 'POST',
  path: '/v1/emitters/sample',
  scope: 'application',
  leastRole: 'developer',
  changesNothing: true,
  isExtension: true,
  summary: 'Create a signed sample batch',
  description:
    'Returns a batch with one sample of `usage.recorded`, signed with the secret that `emitters.listen` returns. Send the batch to your receiver yourself, or use `tollgate emitters trigger --forward-to`. Each request returns new IDs.',
  output: ForwardedBatch,
  async run(_, { application, mode, nowMs, organization, ports }) {
    const listened = { organizationId: organization.id, applicationId: application.id, mode }
    return forwardedBatch(ports.emitters.batchOf(listened, 'all', [sampleEvent(ports.newId(), nowMs)]))
  },
})
