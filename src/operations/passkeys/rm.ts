import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownPasskey } from '#operations/kernel/find-resources-of-caller.ts'
import { PasskeyView, passkeyView } from '#operations/passkeys/shared/passkey-view.ts'

export default operationOn(ownPasskey, {
  id: 'passkeys.rm',
  method: 'DELETE',
  path: '/v1/passkeys/{id}',
  isExtension: true,
  leastRole: 'viewer',
  summary: 'Remove a passkey',
  description:
    "Removes a passkey, so that no one can sign in with this passkey anymore. Open sessions continue. Members can remove their own passkeys.\n\n- Removing another member's passkey requires the owner role.\n- A member without passkeys signs in with the password. If the organization requires passkeys, the member must register a new one.",
  output: PasskeyView,
  async run(passkey, { store }) {
    await store.passkeys.remove(passkey.id)
    return passkeyView(passkey)
  },
})
