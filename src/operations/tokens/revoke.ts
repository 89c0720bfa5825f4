import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { text } from '#operations/schemas.ts'
import { TokenView, tokenView } from './token-view.ts'

export default operation({
  id: 'tokens.revoke',
  method: 'DELETE',
  path: '/v1/application-keys/{id}',
  scope: 'organization',
  summary: 'Revoke a control-plane token',
  description:
    'The token is refused from the next request on and stays listed. Revoking it again changes nothing. A token may revoke itself.',
  input: { path: { id: text(64).meta({ description: 'Id of the token, `apk_…`.' }) } },
  output: TokenView,
  errors: ['not_found'],
  async run({ path }, { nowMs, organization, store }) {
    const token = await store.tokens.byId(organization.id, path.id)
    if (!token) return refused('not_found', { resource: 'token', id: path.id }, 'id')
    await store.tokens.revoke(token.id, nowMs)
    return tokenView({ ...token, revokedAtMs: token.revokedAtMs ?? nowMs })
  },
})
