import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { text } from '#operations/schemas.ts'
import { explainFor } from './explain-for.ts'
import { Explanation } from './explanation-schema.ts'

export default operation({
  id: 'requests.explain',
  method: 'GET',
  path: '/v1/requests/{id}',
  scope: 'application',
  summary: 'Explain what a request cost',
  description:
    'Every phase of one call of the mode and the numbers that it was decided on: calls that ended, failed, were refused or recovered, and those in flight. A phase that was not reached is null. Amounts are micros, times milliseconds. Never content, never a secret.',
  parameters: {
    id: text(64).meta({ description: 'Id of the call, `req_…`, its hold or its usage record.' }),
  },
  output: Explanation,
  errors: ['not_found'],
  async run({ path }, context) {
    const found = await explainFor('customer', path.id, context)
    return found ?? refused('not_found', { resource: 'request', id: path.id }, 'id')
  },
})
