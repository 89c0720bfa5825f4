import { explainToEndUser } from '#operations/requests/explain/explain-request.ts'
import { EndUserExplanation } from '#operations/requests/explain/explanation-schema.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { text } from '#operations/kernel/value-and-page-schemas.ts'

export default operation({
  id: 'portal.request',
  method: 'GET',
  path: '/v1/portal/requests/{id}',
  scope: 'end_user',
  isExtension: true,
  summary: "Show a request's receipt",
  description:
    'Returns the usage, prices and charges of a request of the signed-in end user. Rejected requests and requests in flight are included. Amounts are in micros, times in milliseconds. Content is never returned.',
  parameters: { id: text(64).meta({ description: 'ID of the request, `req_…`.' }) },
  output: EndUserExplanation,
  errors: ['not_found'],
  async run({ path }, context) {
    const found = await explainToEndUser(path.id, context.endUser.id, context)
    return found ?? refused('not_found', { resource: 'request', id: path.id }, 'id')
  },
})
