import { operationOn } from '#operations/operation.ts'
import { ownPasskey } from '#operations/own.ts'
import { PasskeyView, passkeyView } from './passkey-view.ts'

export default operationOn(ownPasskey, {
  id: 'passkeys.rm',
  method: 'DELETE',
  path: '/v1/passkeys/{id}',
  isExtension: true,
  leastRole: 'viewer',
  summary: 'Remove a passkey',
  description:
    'Removes a passkey, so that it no longer signs in; open sessions continue. Members remove their own. An owner removes those of a member who has lost them: without any, the member signs in with the password, and registers a new one if the organization requires it.',
  output: PasskeyView,
  async run(passkey, { store }) {
    await store.passkeys.remove(passkey.id)
    return passkeyView(passkey)
  },
})
