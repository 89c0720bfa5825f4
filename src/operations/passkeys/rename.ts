import * as z from 'zod'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownPasskey } from '#operations/kernel/find-resources-of-caller.ts'
import { PasskeyName, PasskeyView, passkeyView } from '#operations/passkeys/shared/passkey-view.ts'

export default operationOn(ownPasskey, {
  id: 'passkeys.rename',
  method: 'PATCH',
  path: '/v1/passkeys/{id}',
  isExtension: true,
  leastRole: 'viewer',
  summary: 'Rename a passkey',
  description:
    "Changes the name of a passkey. Members can rename their own passkeys. Renaming another member's passkey requires the owner role.",
  body: z.strictObject({ name: PasskeyName }),
  output: PasskeyView,
  async run(passkey, { store }, { body: { name } }) {
    await store.passkeys.rename(passkey.id, name)
    return passkeyView({ ...passkey, name })
  },
})
