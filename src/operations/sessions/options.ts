import * as z from 'zod'
import { identityPaths } from '#domain/people/identity-provider.ts'
import { operation } from '#operations/operation.ts'

export default operation({
  id: 'sessions.options',
  method: 'GET',
  path: '/v1/sessions/options',
  scope: 'public',
  isExtension: true,
  summary: 'Show how people sign in',
  description:
    'What a page for signing in offers, before anybody has signed in. The way by an identity provider begins at `path`, to which a browser goes with `?returnPath=`, a path of this host.',
  output: z.object({
    isSetUp: z.boolean().meta({
      description:
        'Whether anybody has joined a team; false: the link that the first start prints makes the first owner.',
    }),
    password: z.boolean().meta({ description: 'Whether a password signs people in.' }),
    oidc: z
      .object({
        label: z.string().meta({ description: 'Host name of the provider.', examples: ['id.example.com'] }),
        path: z.string().meta({ description: 'Where the sign-in begins.' }),
      })
      .nullable()
      .meta({ description: 'The identity provider that signs people in; null: none.' }),
  }),
  async run(_, { ports: { identityProvider }, store }) {
    return {
      isSetUp: await store.members.isAnyoneJoined(),
      password: true,
      oidc: identityProvider && {
        label: new URL(identityProvider.issuer).host,
        path: identityPaths.begin,
      },
    }
  },
})
