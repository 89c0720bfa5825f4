import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { KeySelector, KeyView, keyView, ownKey } from './key-view.ts'

export default operation({
  id: 'keys.revoke',
  method: 'DELETE',
  path: '/v1/keys/{id}',
  scope: 'application',
  summary: 'Revoke a key',
  description:
    'The key is refused from the next call on and stays listed as evidence; calls in flight end and are charged. Revoking it again changes nothing.',
  input: { path: { id: KeySelector } },
  output: KeyView,
  errors: ['not_found', 'ambiguous_key'],
  async run({ path }, context) {
    const key = await ownKey(path.id, context)
    if (key instanceof Refused) return key
    await context.store.keys.revoke(key.id, context.nowMs)
    return keyView({ ...key, revokedAtMs: key.revokedAtMs ?? context.nowMs })
  },
})
