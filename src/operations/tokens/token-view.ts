import * as z from 'zod'
import type { Token } from '#domain/records.ts'
import { Role, Timestamp } from '#operations/schemas.ts'

const TokenCreatorView = z
  .object({
    type: z.enum(['member', 'token']).meta({ description: 'Whether a member or another token created it.' }),
    id: z.string().meta({ description: 'ID of that member (`mem_…`) or token (`apk_…`).' }),
    label: z.string().meta({
      description: 'Email address of the member, or label of the token, when the token was created.',
    }),
    memberId: z.string().nullable().meta({
      description:
        'ID of the member responsible for the token, `mem_…`: the member who created it, or the member behind the token that created it. Null if no member is behind that token.',
    }),
  })
  .meta({ id: 'TokenCreator', description: 'Who created a control-plane token.' })

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
    createdBy: TokenCreatorView.nullable().meta({
      description:
        'Who created the token. Null if the server’s operator created it, or if it was created before creators were recorded.',
    }),
    createdAt: Timestamp.meta({ description: 'When the token was created.' }),
    expiresAt: Timestamp.nullable().meta({
      description: 'When the token expires. Null if it never expires.',
    }),
    lastUsedAt: Timestamp.nullable().meta({
      description: 'When it was last used, to ten minutes; null: never.',
    }),
    revokedAt: Timestamp.nullable().meta({
      description: 'When the token was revoked. Null if it was not revoked.',
    }),
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
    createdBy: creatorView(token),
    createdAt: token.createdAtMs,
    expiresAt: token.expiresAtMs,
    lastUsedAt: token.lastUsedAtMs,
    revokedAt: token.revokedAtMs,
  }
}

function creatorView({
  createdById: id,
  createdByKind: type,
  createdByLabel: label,
  createdByMemberId: memberId,
}: Token): z.output<typeof TokenCreatorView> | null {
  if (type === null || id === null) return null
  return { type, id, label: label ?? '', memberId }
}
