import { alsoRevoked } from '#operations/keys/revoke.ts'
import { modeTime } from '#operations/mode-time.ts'
import { operationOn } from '#operations/operation.ts'
import { ownPersonKey } from '#operations/own.ts'
import { refused } from '#operations/refused.ts'
import { isMintedHere, PortalKey, portalKey } from './key-view.ts'

export default operationOn(ownPersonKey, {
  id: 'portal.revokeKey',
  method: 'DELETE',
  path: '/v1/portal/keys/{id}',
  isExtension: true,
  summary: 'Revoke a key of the signed-in end user',
  description:
    'The key is refused from the next call on and stays listed. If it replaced a key whose grace period has not ended, that key is revoked too (`alsoRevoked`). A key that they minted in the portal they may always revoke; one that the application minted for them, only where people mint keys themselves (portal.configure). Revoking it again changes nothing.',
  output: PortalKey.extend({ alsoRevoked }).meta({
    id: 'RevokedPortalKey',
    description: 'A revoked key of the signed-in person, without its secret.',
  }),
  errors: ['portal_keys_refused'],
  async run(key, context) {
    const { application, store } = context
    const nowMs = modeTime(context)
    const { endUsersMayMintKeys } = await store.portals.settings(application.id)
    if (!isMintedHere(key) && !endUsersMayMintKeys) return refused('portal_keys_refused')
    const replaced = await store.keys.revoke(key, nowMs)
    return { ...portalKey({ ...key, revokedAtMs: key.revokedAtMs ?? nowMs }), alsoRevoked: [...replaced] }
  },
})
