import { modeTime } from '#operations/mode-time.ts'
import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { text } from '#operations/schemas.ts'
import { isMintedHere, PortalKey, portalKey } from './key-view.ts'

export default operation({
  id: 'portal.revokeKey',
  method: 'DELETE',
  path: '/v1/portal/keys/{id}',
  scope: 'end_user',
  isExtension: true,
  summary: 'Revoke a key of the signed-in end user',
  description:
    'The key is refused from the next call on and stays listed. A key that they minted in the portal they may always revoke; one that the application minted for them, only where people mint keys themselves (portal.configure). Revoking it again changes nothing.',
  parameters: { id: text(64).meta({ description: 'Id of the key, `key_…`.' }) },
  output: PortalKey,
  errors: ['not_found', 'portal_keys_refused'],
  async run({ path }, context) {
    const { application, endUser, mode, store } = context
    const nowMs = modeTime(context)
    const key = await store.keys.byId(application.id, path.id)
    if (!key || key.endUserId !== endUser.id || key.mode !== mode) {
      return refused('not_found', { resource: 'key', id: path.id }, 'id')
    }
    const { endUsersMayMintKeys } = await store.portals.settings(application.id)
    if (!isMintedHere(key) && !endUsersMayMintKeys) return refused('portal_keys_refused')
    await store.keys.revoke(key.id, nowMs)
    return portalKey({ ...key, revokedAtMs: key.revokedAtMs ?? nowMs })
  },
})
