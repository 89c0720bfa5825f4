import * as z from 'zod'
import { tokenActor } from '#domain/people/actor.ts'
import { lowerRole } from '#domain/people/role.ts'
import { isRandomText } from '#domain/secrets/random-text.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { text } from '#operations/schemas.ts'
import { memberAsCreator, newToken } from '#operations/secrets.ts'
import { TokenView, tokenView } from '#operations/tokens/token-view.ts'

export default operation({
  id: 'deviceAuth.poll',
  method: 'POST',
  path: '/v1/device-auth/token',
  scope: 'public',
  summary: 'Poll a command-line sign-in',
  description:
    'The device access token request of RFC 8628. Once the person has approved, it answers an `sk_` token, to one request: only its hash is kept. Until then it is refused with `authorization_pending`, and for a poll that comes too soon with `slow_down`, which makes the interval 5 seconds longer for good.',
  body: z.strictObject({
    deviceCode: text(128).meta({ description: '`deviceCode` of deviceAuth.start.' }),
  }),
  output: TokenView.extend({
    token: z.string().meta({ description: 'The secret, shown once.' }),
    organization: z
      .object({
        id: z.string().meta({ description: 'Id of the organization, `org_…`.' }),
        name: z.string().meta({ description: 'Its name.' }),
      })
      .meta({ description: 'The organization that the token is bound to.' }),
  }),
  errors: ['authorization_pending', 'slow_down', 'expired_token', 'access_denied'],
  answersSecret: true,
  // Poll before the transaction, because thousands of waiting polls must not block writes.
  async prepare({ body: { deviceCode } }, { nowMs, ports, store }) {
    if (!isRandomText(deviceCode)) return refused('expired_token')
    const hash = sha256(deviceCode)
    const longer = ports.devicePolls.poll(hash)
    if (longer !== null) return refused('slow_down', { retryAfterSeconds: longer })
    const signIn = await store.deviceSignIns.byDevice(hash)
    if (!signIn || signIn.expiresAtMs <= nowMs) return refused('expired_token')
    const { decision, memberId, organizationId, role } = signIn
    if (decision === null) {
      return refused('authorization_pending', { retryAfterSeconds: ports.devicePolls.intervalOf(hash) })
    }
    if (memberId === null || organizationId === null || role === null) return refused('access_denied')
    return { id: signIn.id, clientName: signIn.clientName, memberId, organizationId, role }
  },
  async run(_, { actAs, nowMs, ports, store }, { clientName, id, memberId, organizationId, role }) {
    if (!(await store.deviceSignIns.redeem(id))) return refused('expired_token')
    // The approving member may have been removed, or may have a lower role by now.
    const member = await store.members.byId(organizationId, memberId)
    const organization = await store.organizations.byId(organizationId)
    if (!member || !organization) return refused('access_denied')
    const { hash, secret, token } = newToken(
      organization,
      {
        label: clientName ?? 'Command line',
        role: lowerRole(role, member.role),
        memberId,
        createdBy: memberAsCreator(member),
        nowMs,
      },
      ports,
    )
    await store.tokens.insert(token, hash)
    actAs({ organization, actor: tokenActor(token) })
    const { name } = organization
    return { ...tokenView(token), token: secret, organization: { id: organization.id, name } }
  },
})
