import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { ChallengeView, newChallenge } from '#operations/passkeys/shared/passkey-challenge-view.ts'
import { MemberEmail } from '#operations/kernel/value-and-page-schemas.ts'

export default operation({
  id: 'sessions.passkeyChallenge',
  method: 'POST',
  path: '/v1/sessions/passkey/challenge',
  scope: 'public',
  isExtension: true,
  summary: 'Start signing in with a passkey',
  description:
    'Creates a challenge for a sign-in. The browser passes the challenge to an authenticator and sends the result to sessions.passkey or sessions.create. The response is the same whether or not the email address belongs to a member.',
  body: z.strictObject({
    email: MemberEmail.optional().meta({
      description:
        'Email address of the member, if the member will register a new passkey (`newPasskey` of sessions.create). Omit if the member signs in with a registered passkey.',
    }),
  }),
  output: ChallengeView,
  run: ({ body: { email = null } }, context) => newChallenge({ email, memberId: null }, context),
})
