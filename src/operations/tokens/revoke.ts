import { operationOn } from '#operations/operation.ts'
import { ownToken } from '#operations/own.ts'
import { TokenView, tokenView } from './token-view.ts'

export default operationOn(ownToken, {
  id: 'tokens.revoke',
  method: 'DELETE',
  path: '/v1/application-keys/{id}',
  summary: 'Revoke a control-plane token',
  description:
    'The token is refused from the next request on and stays listed. Revoking it again changes nothing. A token may revoke itself.',
  output: TokenView,
  async run(token, { nowMs, store }) {
    await store.tokens.revoke(token.id, nowMs)
    return tokenView({ ...token, revokedAtMs: token.revokedAtMs ?? nowMs })
  },
})
