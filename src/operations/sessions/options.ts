import * as z from 'zod'
import { identityPaths } from '#domain/people/identity-provider-interface.ts'
import { operation } from '#operations/kernel/declare-operation.ts'

export default operation({
  id: 'sessions.options',
  method: 'GET',
  path: '/v1/sessions/options',
  scope: 'public',
  isExtension: true,
  summary: 'Show sign-in options',
  description:
    'Returns the sign-in methods that a sign-in page can offer. Authentication is not required. To sign in with an identity provider, open `path` in the browser. The query parameter `returnPath` sets the path on this host that opens after the sign-in.',
  output: z.object({
    isSetUp: z.boolean().meta({
      description:
        'Whether at least one member has joined an organization on this server. If false, the first owner joins with the link that the server prints at its first start.',
    }),
    password: z.boolean().meta({ description: 'Whether members can sign in with a password.' }),
    oidc: z
      .object({
        label: z
          .string()
          .meta({ description: 'Host name of the identity provider.', examples: ['id.example.com'] }),
        path: z.string().meta({ description: 'Path at which the sign-in begins.' }),
      })
      .nullable()
      .meta({ description: 'Identity provider for sign-ins. Null if no identity provider is configured.' }),
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
