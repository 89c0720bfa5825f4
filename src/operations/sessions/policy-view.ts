import * as z from 'zod'

export const PolicyView = z
  .object({
    passkeyRequired: z.boolean().meta({
      description:
        'Whether members need a passkey to sign in with a password. Sign-ins with the identity provider are not affected.',
    }),
  })
  .meta({ id: 'SignInPolicy', description: 'Sign-in requirements of an organization.' })
