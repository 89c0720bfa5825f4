import { modeTime } from '#operations/mode-time.ts'
import { operationOn } from '#operations/operation.ts'
import { ownKey } from '#operations/own.ts'
import { KeyView, keyView } from './key-view.ts'

export default operationOn(ownKey, {
  id: 'keys.revoke',
  method: 'DELETE',
  path: '/v1/keys/{id}',
  summary: 'Revoke a key',
  description:
    'The key is refused from the next call on and stays listed as evidence; calls in flight end and are charged. Revoking it again changes nothing.',
  output: KeyView,
  async run(key, context) {
    const nowMs = modeTime(context, key.mode)
    await context.store.keys.revoke(key.id, nowMs)
    return keyView({ ...key, revokedAtMs: key.revokedAtMs ?? nowMs }, context)
  },
})
