import { RotatedKey, RotationBody, rotateKey } from '#operations/keys/shared/rotate-key.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownPersonKey } from '#operations/kernel/find-resources-of-caller.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { isMintedHere } from '#operations/portal/shared/portal-key-view.ts'
import { keysMax, keysMintedHere } from './mint-key.ts'

export default operationOn(ownPersonKey, {
  id: 'portal.rotateKey',
  method: 'POST',
  path: '/v1/portal/keys/{id}/rotate',
  isExtension: true,
  summary: 'Rotate a portal key',
  description:
    'Creates a key that replaces the key in the path. The new key has the same name, cap and expiry. The secret is returned once and cannot be retrieved again.\n\n- Both keys work until the grace period ends.\n- Both keys share the cap. Amounts that the old key has spent or holds in the current period count toward the cap.\n- The request is rejected unless `portal.configure` allows end users to create keys.\n- A replaced, revoked or expired key cannot be rotated.',
  body: RotationBody,
  output: RotatedKey,
  errors: ['portal_keys_refused', 'too_many_keys', 'key_ended'],
  answersSecret: true,
  changes: ['keys'],
  async run(key, context, { body }) {
    const { application, store } = context
    const { endUsersMayMintKeys } = await store.portals.settings(application.id)
    if (!endUsersMayMintKeys) return refused('portal_keys_refused')
    const held = await keysMintedHere(context, modeTime(context))
    // The old key expires now, so it does not count toward the maximum.
    const staying =
      body.graceSeconds === 0 && isMintedHere(key) ? held.filter(({ id }) => id !== key.id) : held
    if (staying.length >= keysMax) return refused('too_many_keys', { count: held.length })
    return rotateKey(key, body, context)
  },
})
