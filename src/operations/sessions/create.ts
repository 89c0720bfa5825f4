import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { NewCredentialInput, UsedCredentialInput } from '#operations/passkeys/shared/passkey-input-schemas.ts'
import { PasskeyName } from '#operations/passkeys/shared/passkey-view.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { MemberEmail, text } from '#operations/kernel/value-and-page-schemas.ts'
import { noteFailedSignIn } from '#operations/sessions/shared/count-failed-sign-in.ts'
import { checkSecond, noteSecond } from '#operations/sessions/shared/check-second-factor.ts'
import { SignedIn } from '#operations/sessions/shared/session-view.ts'
import { startSession } from '#operations/sessions/shared/start-session.ts'

export default operation({
  id: 'sessions.create',
  method: 'POST',
  path: '/v1/sessions',
  scope: 'public',
  isExtension: true,
  summary: 'Sign in with a password',
  description:
    'Starts a session and ends the previous session of the browser. The secret is set as a cookie that scripts cannot read. A wrong email address and a wrong password return the same error. Attempts are limited:\n- After five wrong passwords in a row, each attempt for the email address is delayed by up to 8 seconds. The right password is still accepted.\n- Each network address can make 10 attempts per minute.\n- A browser in which the member has signed in before sends a second cookie. Attempts from this browser are counted and queued separately from attempts in other browsers.',
  body: z.strictObject({
    email: MemberEmail.meta({ description: 'Email address of the member.' }),
    password: text(256).meta({ description: 'Password of the member.' }),
    passkey: UsedCredentialInput.optional().meta({
      description:
        'Response of a registered passkey to the challenge that sessions.passkeyChallenge returned. Required if the member has a passkey.',
    }),
    newPasskey: z.strictObject({ name: PasskeyName, credential: NewCredentialInput }).optional().meta({
      description:
        'New passkey, created for the same challenge. Required if the organization requires passkeys and the member has no passkey.',
    }),
  }),
  output: SignedIn,
  errors: ['sign_in_failed', 'passkey_required', 'passkey_rejected'],
  guessable: 'password',
  answersSecret: true,
  async prepare({ body: { email, password, ...second } }, context) {
    const { browser, client, ports, store } = context
    const member = await store.members.joinedByEmail(email)
    const isKnown = member !== null && browser.device?.memberId === member.id
    const isRight = await ports.passwords.isRight(email, password, member?.passwordHash ?? null, {
      address: client.address,
      proof: isKnown ? (browser.device?.nonce ?? null) : null,
    })
    if (!member || !isRight) {
      if (member) noteFailedSignIn(member, 'sessions.create', context)
      return refused('sign_in_failed')
    }
    const checked = await checkSecond(member, second, context)
    if (!(checked instanceof Refused)) return { member, second: checked }
    // A missing passkey is not a failed sign-in, because clients usually send only the password at first.
    if (checked.code === 'passkey_rejected') noteFailedSignIn(member, 'sessions.create', context)
    return checked
  },
  async run(_, context, { member: checked, second }) {
    // Since the password was checked, the member may have been removed, or may have changed the password.
    const member = await context.store.members.byId(checked.organizationId, checked.id)
    if (member?.passwordHash !== checked.passwordHash) return refused('sign_in_failed')
    const denied = await noteSecond(second, member, context)
    if (denied?.code === 'passkey_rejected') noteFailedSignIn(member, 'sessions.create', context)
    if (denied) return denied
    const signedIn = await startSession(member, context)
    context.browser.remember(member.id)
    return signedIn
  },
})
