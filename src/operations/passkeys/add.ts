import assert from 'node:assert/strict'
import * as z from 'zod'
import { passkeysMax } from '#domain/people/passkeys.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { addPasskey, checkNew } from '#operations/passkeys/shared/check-passkey.ts'
import { NewCredentialInput } from '#operations/passkeys/shared/passkey-input-schemas.ts'
import { PasskeyName, PasskeyView, passkeyView } from '#operations/passkeys/shared/passkey-view.ts'

export default operation({
  id: 'passkeys.add',
  method: 'POST',
  path: '/v1/passkeys',
  scope: 'organization',
  isExtension: true,
  isForPeople: true,
  leastRole: 'viewer',
  summary: 'Register a passkey',
  description:
    "Registers a passkey for the signed-in member, with the authenticator's response to the challenge that passkeys.start returned. The member then signs in with the passkey. The password alone is no longer accepted.",
  body: z.strictObject({ name: PasskeyName, credential: NewCredentialInput }),
  output: PasskeyView,
  errors: ['passkey_rejected', 'too_many_passkeys'],
  prepare: ({ body: { credential } }, context) => checkNew(credential, context.actor.id, context),
  async run({ body: { name } }, context, checked) {
    const { actor } = context
    assert(actor.kind === 'member', 'a passkey needs a signed-in member')
    if ((await context.store.passkeys.countOf(actor.id)) >= passkeysMax) {
      return refused('too_many_passkeys', { max: passkeysMax })
    }
    const passkey = await addPasskey(checked, { member: actor.member, name }, context)
    return passkey instanceof Refused ? passkey : passkeyView(passkey)
  },
})
