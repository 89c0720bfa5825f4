import * as z from 'zod'
import type { Token } from '#domain/people/token-record.ts'
import { Role, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

const TokenCreatorView = z
  .object({
    type: z.enum(['member', 'token']).meta({ description: 'Kind of the creator: a member or a token.' }),
    id: z
      .string()
      .meta({ description: 'ID of the member (`mem_…`) or of the token (`apk_…`) that created the token.' }),
    label: z.string().meta({
      description:
        'Email address of the member, or label of the token, that created this token. Later changes of the address or label are not shown.',
    }),
    memberId: z.string().nullable().meta({
      description:
        'ID of the responsible member, `mem_…`. If a member created the token, this member is responsible. If another token created the token, the member responsible for that other token is returned. Null if no member is responsible.',
    }),
  })
  .meta({ id: 'TokenCreator', description: 'Creator of a control-plane token.' })

export const TokenView = z
  .object({
    id: z.string().meta({ description: 'ID of the token, `apk_…`.' }),
    label: z.string().meta({ description: 'Display name of the token.' }),
    prefix: z.string().meta({ description: 'First characters of the secret, safe to display.' }),
    lastFour: z.string().meta({ description: 'Last characters of the secret, safe to display.' }),
    role: Role.meta({ description: 'Role of the token.' }),
    applicationId: z.string().nullable().meta({
      description:
        'ID of the only application that the token can use, `app_…`. Null means that the token can use every application.',
    }),
    memberId: z.string().nullable().meta({
      description:
        'ID of the member who created the token by signing in on a device, `mem_…`. Null for a token of the organization.',
    }),
    createdBy: TokenCreatorView.nullable().meta({
      description:
        'Creator of the token. Null if the operator of the server created the token, or if an older server version created the token without recording a creator.',
    }),
    createdAt: Timestamp.meta({ description: 'When the token was created.' }),
    expiresAt: Timestamp.nullable().meta({
      description: 'When the token expires. Null if the token never expires.',
    }),
    lastUsedAt: Timestamp.nullable().meta({
      description: 'When the token was last used, accurate to ten minutes. Null if the token was never used.',
    }),
    revokedAt: Timestamp.nullable().meta({
      description: 'When the token was revoked. Null if the token was not revoked.',
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
