import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { DeviceSignInView, deviceSignInView, UserCode, waitingSignIn } from './sign-in-view.ts'

export default operation({
  id: 'deviceAuth.show',
  method: 'GET',
  path: '/v1/device-auth',
  scope: 'organization',
  isExtension: true,
  isForPeople: true,
  summary: 'Show who asks to be signed in',
  description:
    'What a person sees before they approve: which device asks, from where, and what its token may do. One network address has 5 tries a minute, here and in deviceAuth.approve together.',
  query: { userCode: UserCode },
  output: DeviceSignInView,
  errors: ['not_found'],
  guessable: 'userCode',
  async run({ query }, context) {
    const signIn = await waitingSignIn(query.userCode, context)
    return signIn instanceof Refused ? signIn : deviceSignInView(signIn, context.actor.role)
  },
})
