import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { MemberView, memberView } from '#operations/team/member-view.ts'
import { TokenView, tokenView } from '#operations/tokens/token-view.ts'

export default operation({
  id: 'auth.whoami',
  method: 'GET',
  path: '/v1/whoami',
  scope: 'organization',
  isForOneApplication: true,
  summary: 'Show who the token is',
  description: 'The organization of the caller, and the caller: a token, or a member who has signed in.',
  output: z.object({
    organization: z
      .object({
        id: z.string().meta({ description: 'Id of the organization, `org_…`.' }),
        name: z.string().meta({ description: 'Its name.' }),
        code: z.string().meta({ description: 'The `<code>` in its tokens.' }),
      })
      .meta({ description: 'The organization that the token or the member is bound to.' }),
    token: TokenView.nullable().meta({ description: 'The token in use; null: a member has signed in.' }),
    member: MemberView.nullable().meta({ description: 'The member who has signed in; null: a token calls.' }),
  }),
  async run(_, { actor, organization }) {
    const { code, id, name } = organization
    return {
      organization: { id, name, code },
      token: actor.kind === 'token' ? tokenView(actor.token) : null,
      member: actor.kind === 'member' ? memberView(actor.member) : null,
    }
  },
})
