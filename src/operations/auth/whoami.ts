import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { MemberView, memberView } from '#operations/team/shared/member-view.ts'
import { TokenView, tokenView } from '#operations/tokens/shared/token-view.ts'

export default operation({
  id: 'auth.whoami',
  method: 'GET',
  path: '/v1/whoami',
  scope: 'organization',
  isForOneApplication: true,
  summary: 'Show the caller',
  description:
    'Returns the caller, which is a token or a signed-in member, and the organization of the caller.',
  output: z.object({
    organization: z
      .object({
        id: z.string().meta({ description: 'ID of the organization, `org_…`.' }),
        name: z.string().meta({ description: 'Name of the organization.' }),
        code: z
          .string()
          .meta({ description: 'Code of the organization, which is the `<code>` part of its tokens.' }),
      })
      .meta({ description: 'Organization of the token or member.' }),
    token: TokenView.nullable().meta({ description: 'Token of the request. Null if a member is signed in.' }),
    member: MemberView.nullable().meta({
      description: 'Signed-in member. Null if the request uses a token.',
    }),
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
