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
    'Revokes a token. Requests with the token fail immediately. The token remains listed. Revoking a revoked token again changes nothing. A token can revoke itself. Revoking another token requires the admin role, and a credential that is not limited to one application.',
  output: TokenView,
  leastRole: 'viewer',
  isForOneApplication: true,
  async run(token, { actor, nowMs, store }) {
    if (token.id !== actor.id && !isRoleAtLeast(actor.role, 'admin')) {
      return refused('role_required', { role: actor.role, needed: 'admin' })
    }
    await store.tokens.revoke(token.id, nowMs)
    return tokenView({ ...token, revokedAtMs: token.revokedAtMs ?? nowMs })
  },
})
