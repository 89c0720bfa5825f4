import { RotatedKey, RotationBody, rotateKey } from '#operations/keys/rotate-key.ts'
import { modeTime } from '#operations/mode-time.ts'
import { operationOn } from '#operations/operation.ts'
import { ownPersonKey } from '#operations/own.ts'
import { refused } from '#operations/refused.ts'
import { isMintedHere } from './key-view.ts'
import { keysMax, keysMintedHere } from './mint-key.ts'

export default operationOn(ownPersonKey, {
  id: 'portal.rotateKey',
  method: 'POST',
  path: '/v1/portal/keys/{id}/rotate',
  isExtension: true,
  summary: 'Rotate a key of the signed-in end user',
  description:
    'Creates a key that replaces this one, with its name, cap and expiry. Both keys work until the grace period ends. The cap goes on: what the old key has spent and holds in the current period counts for both. The secret is returned once and cannot be retrieved again. Requires that end users may create keys (portal.configure). A key that was replaced, revoked or has expired cannot be rotated.',
  body: RotationBody,
  output: RotatedKey,
  errors: ['portal_keys_refused', 'too_many_keys', 'key_ended'],
  answersSecret: true,
  async run(key, context, { body }) {
    const { application, store } = context
    const { endUsersMayMintKeys } = await store.portals.settings(application.id)
    if (!endUsersMayMintKeys) return refused('portal_keys_refused')
    const held = await keysMintedHere(context, modeTime(context))
    // A key that ends now makes room for its replacement.
    const staying =
      body.graceSeconds === 0 && isMintedHere(key) ? held.filter(({ id }) => id !== key.id) : held
    if (staying.length >= keysMax) return refused('too_many_keys', { count: held.length })
    return rotateKey(key, body, context)
  },
})
