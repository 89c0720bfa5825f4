import * as z from 'zod'
import type { Token } from '#domain/records.ts'
import { Role, Timestamp } from '#operations/schemas.ts'

export const TokenView = z
  .object({
    id: z.string().meta({ description: 'Id of the token, `apk_…`.' }),
    label: z.string().meta({ description: 'Name for people.' }),
    prefix: z.string().meta({ description: 'First characters of the secret; safe to show.' }),
    lastFour: z.string().meta({ description: 'Last characters of the secret; safe to show.' }),
    role: Role.meta({ description: 'The role whose operations it may call.' }),
    applicationId: z
      .string()
      .nullable()
      .meta({ description: 'Id of the one application that it may use, `app_…`; null: every one.' }),
    memberId: z.string().nullable().meta({
      description:
        'Id of the member who signed in on the device that holds it, `mem_…`; null: a token of the organization.',
    }),
    createdAt: Timestamp.meta({ description: 'When it was made.' }),
    lastUsedAt: Timestamp.nullable().meta({
      description: 'When it was last used, to ten minutes; null: never.',
    }),
    revokedAt: Timestamp.nullable().meta({ description: 'When it was revoked; null: it is valid.' }),
  })
  .meta({ id: 'Token', description: 'A control-plane token, without its secret.' })

export function tokenView(token: Token): z.output<typeof TokenView> {
  return {
    id: token.id,
    label: token.label,
    prefix: token.prefix,
    lastFour: token.lastFour,
    role: token.role,
    applicationId: token.applicationId,
    memberId: token.memberId,
    createdAt: token.createdAtMs,
    lastUsedAt: token.lastUsedAtMs,
    revokedAt: token.revokedAtMs,
  }
}
