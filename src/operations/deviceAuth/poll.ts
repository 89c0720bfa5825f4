import * as z from 'zod'
import { tokenActor } from '#domain/people/caller-types.ts'
import { lowerRole } from '#domain/people/team-roles.ts'
import { isRandomText } from '#domain/secrets/random-link-and-cookie-secrets.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { text } from '#operations/kernel/value-and-page-schemas.ts'
import { memberAsCreator, newToken } from '#operations/kernel/create-keys-and-tokens.ts'
import { TokenView, tokenView } from '#operations/tokens/shared/token-view.ts'

export default operation({
  id: 'deviceAuth.poll',
  method: 'POST',
  path: '/v1/device-auth/token',
  scope: 'public',
  summary: 'Poll a command-line sign-in',
  description:
    'Sends the device access token request of RFC 8628. The first poll after the approval returns the `sk_` token. Later polls cannot return the token, because only its hash is stored.\n\n- Until a member approves or denies the sign-in, polls return `authorization_pending`.\n- A poll that is sent too early returns `slow_down`. The interval for all later polls is then 5 seconds longer.',
  body: z.strictObject({
    deviceCode: text(128).meta({ description: '`deviceCode` from `deviceAuth.start`.' }),
  }),
  output: TokenView.extend({
    token: z.string().meta({
      description: 'Secret of the token. The secret is returned once and cannot be retrieved again.',
    }),
    organization: z
      .object({
        id: z.string().meta({ description: 'ID of the organization, `org_…`.' }),
        name: z.string().meta({ description: 'Name of the organization.' }),
      })
      .meta({ description: 'Organization of the token.' }),
  }),
  errors: ['authorization_pending', 'slow_down', 'expired_token', 'access_denied'],
  answersSecret: true,
  // Check the decision before the transaction, because thousands of polling devices must not block writes.
  changes: ['deviceAuth', 'tokens'],
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
    // The member who approved the sign-in may have been removed, or may have a lower role now.
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
