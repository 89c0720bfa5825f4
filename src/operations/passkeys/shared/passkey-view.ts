import * as z from 'zod'
import type { Passkey } from '#domain/people/passkeys.ts'
import { text, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export const PasskeyName = text(64).meta({
  description: 'Display name of the passkey.',
  examples: ['Laptop'],
})

export const PasskeyView = z
  .object({
    id: z.string().meta({ description: 'ID of the passkey, `psk_…`.' }),
    memberId: z.string().meta({ description: 'ID of the member who signs in with the passkey, `mem_…`.' }),
    name: PasskeyName,
    createdAt: Timestamp.meta({ description: 'When the passkey was registered.' }),
    lastUsedAt: Timestamp.nullable().meta({
      description: 'When the passkey was last used to sign in. Null if the passkey was never used.',
    }),
  })
  .meta({ id: 'Passkey', description: 'A passkey that a member signs in with.' })

export function passkeyView(passkey: Passkey): z.output<typeof PasskeyView> {
  const { createdAtMs, id, lastUsedAtMs, memberId, name } = passkey
  return { id, memberId, name, createdAt: createdAtMs, lastUsedAt: lastUsedAtMs }
}
