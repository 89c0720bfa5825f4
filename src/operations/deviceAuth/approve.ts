import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import {
  DeviceSignInView,
  deviceSignInView,
  grantedRole,
  noSuchCode,
  UserCode,
  waitingSignIn,
} from '#operations/deviceAuth/shared/device-sign-in-view.ts'

export default operation({
  id: 'deviceAuth.approve',
  method: 'POST',
  path: '/v1/device-auth/approve',
  scope: 'organization',
  isForPeople: true,
  leastRole: 'viewer',
  summary: 'Approve a command-line sign-in',
  description:
    'Approves or denies a command-line sign-in. Each sign-in can be approved or denied only once. Check the device with `deviceAuth.show` first. Approve only a sign-in that the member started.\n\nAn approved device gets a token of the organization. The token has the role that `deviceAuth.show` returns. `tokens.list` lists the token. The token is valid until `tokens.revoke` revokes the token or the member is removed.',
  body: z.strictObject({
    userCode: UserCode,
    approve: z.boolean().meta({ description: 'Whether to approve the sign-in. False denies the sign-in.' }),
  }),
  output: DeviceSignInView.extend({
    decision: z
      .enum(['approved', 'denied'])
      .meta({ description: 'Whether the member approved or denied the sign-in.' }),
  }),
  errors: ['not_found'],
  guessable: 'userCode',
  async run({ body }, context) {
    const { actor, organization, store } = context
    const signIn = await waitingSignIn(body.userCode, context)
    if (signIn instanceof Refused) return signIn
    const decision = body.approve ? ('approved' as const) : ('denied' as const)
    const granted = {
      organizationId: organization.id,
      memberId: actor.id,
      role: grantedRole(signIn, actor.role),
    }
    const none = { organizationId: null, memberId: null, role: null }
    const isFirst = await store.deviceSignIns.decide(signIn.id, {
      decision,
      ...(body.approve ? granted : none),
    })
    if (!isFirst) return noSuchCode()
    return { ...deviceSignInView(signIn, actor.role), decision }
  },
})
