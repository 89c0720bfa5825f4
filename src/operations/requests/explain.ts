import { explainToTeam } from '#operations/requests/explain/explain-request.ts'
import { Explanation } from '#operations/requests/explain/explanation-schema.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { text } from '#operations/kernel/value-and-page-schemas.ts'

export default operation({
  id: 'requests.explain',
  method: 'GET',
  path: '/v1/requests/{id}',
  scope: 'application',
  summary: 'Explain what a request cost',
  description:
    'Returns every phase of one gateway request, with the numbers behind each decision. Works for settled, failed, rejected and recovered requests, and for requests in flight. A phase that was not reached is null. Within a phase, a value that does not apply or was not recorded is null. Amounts are in micros, times in milliseconds. Content and secrets are never included.',
  parameters: {
    id: text(64).meta({
      description: 'ID of the request, `req_…`, of its hold, `hold_…`, or of its usage record, `ur_…`.',
    }),
  },
  output: Explanation,
  errors: ['not_found'],
  async run({ path }, context) {
    const found = await explainToTeam(path.id, context)
    return found ?? refused('not_found', { resource: 'request', id: path.id }, 'id')
  },
})
