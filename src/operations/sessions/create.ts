import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { MemberEmail, text } from '#operations/schemas.ts'
import { SignedIn } from './session-view.ts'
import { startSession } from './start-session.ts'

export default operation({
  id: 'sessions.create',
  method: 'POST',
  path: '/v1/sessions',
  scope: 'public',
  isExtension: true,
  summary: 'Sign in with a password',
  description:
    'Starts a session, whose secret is in a cookie that no script can read. Wrong address and wrong password are one answer. After five wrong passwords in a row each further try on the address waits first, up to 8 seconds, and a right one is taken all the same; one network address has 10 tries a minute. A browser in which the member has signed in before sends a second cookie, by which its tries are counted and queued apart from those of strangers. Ends the session that the browser had before.',
  body: z.strictObject({
    email: MemberEmail.meta({ description: 'E-mail address of the member.' }),
    password: text(256).meta({ description: 'The password.' }),
  }),
  output: SignedIn,
  errors: ['sign_in_failed'],
  guessable: 'password',
  answersSecret: true,
  async prepare({ body: { email, password } }, { browser, client, nowMs, ports, requestId, store }) {
    const member = await store.members.joinedByEmail(email)
    const isKnown = member !== null && browser.device?.memberId === member.id
    const isRight = await ports.passwords.isRight(email, password, member?.passwordHash ?? null, {
      address: client.address,
      proof: isKnown ? (browser.device?.nonce ?? null) : null,
    })
    if (member && isRight) return member
    if (member) {
      const { address } = client
      ports.failedSignIns.note({
        member,
        address,
        operationId: 'sessions.create',
        requestId,
        atMs: nowMs,
      })
    }
    return refused('sign_in_failed')
  },
  async run(_, context, checked) {
    // Meanwhile the member may have been removed, or have changed the password.
    const member = await context.store.members.byId(checked.organizationId, checked.id)
    if (member?.passwordHash !== checked.passwordHash) return refused('sign_in_failed')
    const signedIn = await startSession(member, context)
    context.browser.remember(member.id)
    return signedIn
  },
})
