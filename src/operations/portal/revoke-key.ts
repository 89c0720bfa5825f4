import { alsoRevoked } from '#operations/keys/revoke.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownPersonKey } from '#operations/kernel/find-resources-of-caller.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { isMintedHere, PortalKey, portalKey } from '#operations/portal/shared/portal-key-view.ts'

export default operationOn(ownPersonKey, {
  id: 'portal.revokeKey',
  method: 'DELETE',
  path: '/v1/portal/keys/{id}',
  isExtension: true,
  summary: 'Revoke a portal key',
  description:
    'Revokes the key, starting with the next request. The key stays in the list. Revoking a key again changes nothing.\n\n- If the key replaced another key whose grace period has not ended, that key is revoked too (`alsoRevoked`).\n- End users can always revoke keys that they created in the portal.\n- End users can revoke keys that the application created only if `portal.configure` allows end users to create keys.',
  output: PortalKey.extend({ alsoRevoked }).meta({
    id: 'RevokedPortalKey',
    description: 'A revoked key of the signed-in end user, without its secret.',
  }),
  errors: ['portal_keys_refused'],
  changes: ['keys'],
  async run(key, context) {
    const { application, store } = context
    const nowMs = modeTime(context)
    const { endUsersMayMintKeys } = await store.portals.settings(application.id)
    if (!isMintedHere(key) && !endUsersMayMintKeys) return refused('portal_keys_refused')
    const replaced = await store.keys.revoke(key, nowMs)
    return { ...portalKey({ ...key, revokedAtMs: key.revokedAtMs ?? nowMs }), alsoRevoked: [...replaced] }
  },
})
