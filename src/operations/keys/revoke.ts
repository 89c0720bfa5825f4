import * as z from 'zod'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownKey } from '#operations/kernel/find-resources-of-caller.ts'
import { KeyView, keyView } from '#operations/keys/shared/key-view.ts'

export const alsoRevoked = z.array(z.string()).meta({
  description:
    'IDs of the keys that were revoked with this key, `key_…`: keys that this key replaced and whose grace period had not ended.',
})

export default operationOn(ownKey, {
  id: 'keys.revoke',
  method: 'DELETE',
  path: '/v1/keys/{id}',
  summary: 'Revoke a key',
  description:
    'Revokes the key. Starting with the next request, requests with the key return 401 `key_revoked`.\n\n- Requests in flight continue and are charged.\n- If the key replaced another key whose grace period has not ended, that key is revoked too (`alsoRevoked`).\n- Revoked keys stay in the list. Revoking a key again changes nothing.',
  output: KeyView.extend({ alsoRevoked }).meta({
    id: 'RevokedKey',
    description: 'A revoked key, without its secret.',
  }),
  async run(key, context) {
    const nowMs = modeTime(context, key.mode)
    const replaced = await context.store.keys.revoke(key, nowMs)
    const view = await keyView({ ...key, revokedAtMs: key.revokedAtMs ?? nowMs }, context)
    return { ...view, alsoRevoked: [...replaced] }
  },
})
