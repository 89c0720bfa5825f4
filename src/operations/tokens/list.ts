import { operation } from '#operations/kernel/declare-operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import { TokenView, tokenView } from '#operations/tokens/shared/token-view.ts'

export default operation({
  id: 'tokens.list',
  method: 'GET',
  path: '/v1/application-keys',
  scope: 'organization',
  summary: 'List control-plane tokens',
  description:
    'Returns tokens, newest first, including revoked and expired tokens. Secrets are not included.',
  query: pageQuery,
  output: listOf(TokenView),
  run: ({ query }, { organization, store }) =>
    answerOf(store.tokens.list(organization.id, pageOf(query)), tokenView),
})
