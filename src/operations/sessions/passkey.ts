import * as z from 'zod'
import { operation } from '#operations/kernel/operation.ts'
import { checkUse, noteUse } from '#operations/passkeys/check-passkey.ts'
import { UsedCredentialInput } from '#operations/passkeys/credential.ts'
import { refused } from '#operations/kernel/refused.ts'
import { SignedIn } from './session-view.ts'
import { startSession } from './start-session.ts'

export default operation({
  id: 'sessions.passkey',
  method: 'POST',
  path: '/v1/sessions/passkey',
  scope: 'public',
  isExtension: true,
  summary: 'Sign in with a passkey',
  description:
    "Starts a session with an authenticator's response to the challenge of sessions.passkeyChallenge. No password is required, so the authenticator must have verified the member, for example by PIN or fingerprint.",
  body: z.strictObject({ credential: UsedCredentialInput }),
  output: SignedIn,
  errors: ['passkey_rejected'],
  answersSecret: true,
  prepare: ({ body: { credential } }, context) => checkUse(credential, true, context),
  changes: ['sessions', 'passkeys'],
  async run(_, context, checked) {
    const denied = await noteUse(checked, context)
    if (denied) return denied
    const { memberId, organizationId } = checked.passkey
    const member = await context.store.members.byId(organizationId, memberId)
    if (!member) return refused('passkey_rejected', { reason: 'its member was removed' })
    return startSession(member, context)
  },
})
