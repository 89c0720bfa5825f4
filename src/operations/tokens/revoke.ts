import { isRoleAtLeast } from '#domain/people/role.ts'
import { operationOn } from '#operations/operation.ts'
import { ownToken } from '#operations/own.ts'
import { refused } from '#operations/refused.ts'
import { TokenView, tokenView } from './token-view.ts'

export default operationOn(ownToken, {
  id: 'tokens.revoke',
  method: 'DELETE',
  path: '/v1/application-keys/{id}',
  summary: 'Revoke a control-plane token',
  description:
    'The token is refused from the next request on and stays listed. Revoking it again changes nothing. A token may revoke itself; another one needs the role `admin`.',
  output: TokenView,
  leastRole: 'viewer',
  async run(token, { actor, nowMs, store }) {
    if (token.id !== actor.id && !isRoleAtLeast(actor.role, 'admin')) {
      return refused('role_required', { role: actor.role, needed: 'admin' })
    }
    await store.tokens.revoke(token.id, nowMs)
    return tokenView({ ...token, revokedAtMs: token.revokedAtMs ?? nowMs })
  },
})
