import { operation } from '#operations/kernel/declare-operation.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import {
  DeviceSignInView,
  deviceSignInView,
  UserCode,
  waitingSignIn,
} from '#operations/deviceAuth/shared/device-sign-in-view.ts'

export default operation({
  id: 'deviceAuth.show',
  method: 'GET',
  path: '/v1/device-auth',
  scope: 'organization',
  isExtension: true,
  isForPeople: true,
  summary: 'Show a pending sign-in',
  description:
    'Returns the device that requests a sign-in, its network address, and the role of the token that the device would get. Each network address has 5 attempts per minute, shared with `deviceAuth.approve`.',
  query: { userCode: UserCode },
  output: DeviceSignInView,
  errors: ['not_found'],
  guessable: 'userCode',
  async run({ query }, context) {
    const signIn = await waitingSignIn(query.userCode, context)
    return signIn instanceof Refused ? signIn : deviceSignInView(signIn, context.actor.role)
  },
})
