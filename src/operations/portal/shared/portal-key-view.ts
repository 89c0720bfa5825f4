import type { Key } from '#domain/end-user-keys.ts'
import * as z from 'zod'
import { keyFields } from '#operations/keys/shared/key-response-fields.ts'

/** Omits the team member who created the key. */
export const PortalKey = z
  .object({
    id: keyFields.id,
    name: keyFields.name,
    keyPrefix: keyFields.keyPrefix,
    lastFour: keyFields.lastFour,
    mintedHere: z.boolean().meta({ description: 'Whether the end user created the key in the portal.' }),
    capMicros: keyFields.capMicros,
    capPeriod: keyFields.capPeriod,
    limits: keyFields.limits,
    createdAt: keyFields.createdAt,
    lastUsedAt: keyFields.lastUsedAt,
    revokedAt: keyFields.revokedAt,
    expiresAt: keyFields.expiresAt,
    replacedBy: keyFields.replacedBy,
  })
  .meta({ id: 'PortalKey', description: 'A key of the signed-in end user, without its secret.' })

export function portalKey(key: Key): z.output<typeof PortalKey> {
  return {
    id: key.id,
    name: key.name,
    keyPrefix: key.prefix,
    lastFour: key.lastFour,
    mintedHere: isMintedHere(key),
    capMicros: key.capMicros,
    capPeriod: key.capPeriod,
    limits: key.limits,
    createdAt: key.createdAtMs,
    lastUsedAt: key.lastUsedAtMs,
    revokedAt: key.revokedAtMs,
    expiresAt: key.expiresAtMs,
    replacedBy: key.replacedBy,
  }
}

export function isMintedHere({ actorType }: Pick<Key, 'actorType'>): boolean {
  return actorType === 'end_user'
}
