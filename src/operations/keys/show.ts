import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { KeySelector, KeyView, keyView, ownKey } from './key-view.ts'

export default operation({
  id: 'keys.show',
  method: 'GET',
  path: '/v1/keys/{id}',
  scope: 'application',
  summary: 'Show a key',
  description: 'One key, without its secret.',
  input: { path: { id: KeySelector } },
  output: KeyView,
  errors: ['not_found', 'ambiguous_key'],
  async run({ path }, context) {
    const key = await ownKey(path.id, context)
    return key instanceof Refused ? key : keyView(key)
  },
})
