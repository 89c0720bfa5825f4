import { suffixOf } from '#domain/id.ts'
import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { text } from '#operations/schemas.ts'
import { Receipt, receiptOf } from './receipt.ts'

export default operation({
  id: 'portal.request',
  method: 'GET',
  path: '/v1/portal/requests/{id}',
  scope: 'end_user',
  isExtension: true,
  summary: 'Show the receipt of a request of the signed-in end user',
  description:
    'What one call of theirs used, at which prices, and what it was charged to; refused calls and those in flight too. Never content.',
  parameters: { id: text(64).meta({ description: 'Id of the call, `req_…`.' }) },
  output: Receipt,
  errors: ['not_found'],
  async run({ path }, { application, endUser, mode, store }) {
    const callId = suffixOf('req', path.id)
    const story = callId === null ? null : await store.requests.story(application.id, mode, callId)
    if (callId === null || story?.call.endUserId !== endUser.id) {
      return refused('not_found', { resource: 'request', id: path.id }, 'id')
    }
    return receiptOf(story, {
      entries: await store.balances.ledgerOfCall(application.id, callId),
      sourceNames: await store.balances.sourceNames(endUser.id, mode),
    })
  },
})
