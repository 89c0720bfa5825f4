import assert from 'node:assert/strict'
import { operation } from '#operations/kernel/declare-operation.ts'
import { ChallengeView, newChallenge } from '#operations/passkeys/shared/passkey-challenge-view.ts'

export default operation({
  id: 'passkeys.start',
  method: 'POST',
  path: '/v1/passkeys/challenge',
  scope: 'organization',
  isExtension: true,
  isForPeople: true,
  leastRole: 'viewer',
  summary: 'Start registering a passkey',
  description:
    'Creates a challenge for a new passkey of the signed-in member. A browser passes the challenge to an authenticator and sends the response to passkeys.add.',
  output: ChallengeView,
  run(_, context) {
    const { actor } = context
    assert(actor.kind === 'member', 'a passkey needs a signed-in member')
    return newChallenge({ email: actor.member.email, memberId: actor.id }, context)
  },
})
