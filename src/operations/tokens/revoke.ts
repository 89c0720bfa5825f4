import { isRoleAtLeast } from '#domain/people/team-roles.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownToken } from '#operations/kernel/find-resources-of-caller.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { TokenView, tokenView } from '#operations/tokens/shared/token-view.ts'

export default operationOn(ownToken, {
  id: 'tokens.revoke',
  method: 'DELETE',
  path: '/v1/application-keys/{id}',
  summary: 'Revoke a control-plane token',
  description:
    'Revokes a token. Requests with the token fail immediately. If the token belongs to a device of a member, all portal sessions that were opened with device tokens of the member also end. The token remains listed. Revoking a revoked token again changes nothing. A token can revoke itself. Revoking another token requires the admin role, and a credential that is not limited to one application.',
  output: TokenView,
  leastRole: 'viewer',
  isForOneApplication: true,
  async run(token, { actor, nowMs, store }) {
    if (token.id !== actor.id && !isRoleAtLeast(actor.role, 'admin')) {
      return refused('role_required', { role: actor.role, needed: 'admin' })
    }
    const { memberId, revokedAtMs } = token
    await store.tokens.revoke(token.id, nowMs)
    // A token of the organization belongs to a program, whose end users remain signed in when the token is replaced.
    // The store does not know with which of the member's device tokens a portal session was opened.
    if (memberId !== null && revokedAtMs === null)
      await store.portals.endVisitsOpenedBy(memberId, 'with_device_token')
    return tokenView({ ...token, revokedAtMs: revokedAtMs ?? nowMs })
  },
})
