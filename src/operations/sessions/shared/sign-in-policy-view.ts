import * as z from 'zod'

export const PolicyView = z
  .object({
    passkeyRequired: z.boolean().meta({
      description:
        'Whether a sign-in with a password also requires a passkey. If false, a passkey is required only of members who have one. Sign-ins with the identity provider are not affected.',
    }),
  })
  .meta({ id: 'SignInPolicy', description: 'Sign-in requirements of an organization.' })
