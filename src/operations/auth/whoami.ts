import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { TokenView, tokenView } from '#operations/tokens/token-view.ts'

export default operation({
  id: 'auth.whoami',
  method: 'GET',
  path: '/v1/whoami',
  scope: 'organization',
  isForOneApplication: true,
  summary: 'Show who the token is',
  description: 'The organization that the token is bound to, and the token itself.',
  output: z.object({
    organization: z
      .object({
        id: z.string().meta({ description: 'Id of the organization, `org_…`.' }),
        name: z.string().meta({ description: 'Its name.' }),
        code: z.string().meta({ description: 'The `<code>` in its tokens.' }),
      })
      .meta({ description: 'The organization that the token is bound to.' }),
    token: TokenView.meta({ description: 'The token in use.' }),
  }),
  async run(_, { actor, organization }) {
    const { code, id, name } = organization
    return { organization: { id, name, code }, token: tokenView(actor.token) }
  },
})
