import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { checkUse, noteUse } from '#operations/passkeys/shared/check-passkey.ts'
import { UsedCredentialInput } from '#operations/passkeys/shared/passkey-input-schemas.ts'
import { refused, Refused } from '#operations/kernel/returned-error.ts'
import { noteFailedPasskey } from '#operations/sessions/shared/count-failed-sign-in.ts'
import { SignedIn } from '#operations/sessions/shared/session-view.ts'
import { startSession } from '#operations/sessions/shared/start-session.ts'

export default operation({
  id: 'sessions.passkey',
  method: 'POST',
  path: '/v1/sessions/passkey',
  scope: 'public',
  isExtension: true,
  summary: 'Sign in with a passkey',
  description:
    "Starts a session with an authenticator's response to the challenge that sessions.passkeyChallenge returned. No password is required, so the authenticator must have verified the member, for example by PIN or fingerprint. A failed attempt with a registered passkey counts as a failed sign-in of the member who owns the passkey.",
  body: z.strictObject({ credential: UsedCredentialInput }),
  output: SignedIn,
  errors: ['passkey_rejected'],
  answersSecret: true,
  async prepare({ body: { credential } }, context) {
    const checked = await checkUse(credential, true, context)
    if (checked instanceof Refused) await noteFailedPasskey(credential.id, context)
    return checked
  },
  changes: ['sessions', 'passkeys'],
  async run({ body: { credential } }, context, checked) {
    const denied = await noteUse(checked, context)
    if (denied) {
      await noteFailedPasskey(credential.id, context)
      return denied
    }
    const { memberId, organizationId } = checked.passkey
    const member = await context.store.members.byId(organizationId, memberId)
    if (!member) return refused('passkey_rejected', { reason: 'its member was removed' })
    const signedIn = await startSession(member, context)
    context.browser.remember(member.id)
    return signedIn
  },
})
