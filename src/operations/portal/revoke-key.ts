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
    'The key is refused from the next call on and stays listed. A key that they minted in the portal they may always revoke; one that the application minted for them, only where people mint keys themselves (portal.configure). Revoking it again changes nothing.',
  output: PortalKey,
  errors: ['portal_keys_refused'],
  async run(key, context) {
    const { application, store } = context
    const nowMs = modeTime(context)
    const { endUsersMayMintKeys } = await store.portals.settings(application.id)
    if (!isMintedHere(key) && !endUsersMayMintKeys) return refused('portal_keys_refused')
    await store.keys.revoke(key.id, nowMs)
    return portalKey({ ...key, revokedAtMs: key.revokedAtMs ?? nowMs })
  },
})
