import * as z from 'zod'
import type { Key } from '#domain/records.ts'
import { Micros, Period, Timestamp } from '#operations/schemas.ts'

/** A key as its end user sees it, without the team member who created it. */
export const PortalKey = z
  .object({
    id: z.string().meta({ description: 'ID of the key, `key_…`.' }),
    name: z.string().meta({ description: 'Display name of the key.' }),
    keyPrefix: z.string().meta({ description: 'First characters of the secret. Safe to show.' }),
    lastFour: z.string().meta({ description: 'Last four characters of the secret. Safe to show.' }),
    mintedHere: z.boolean().meta({ description: 'Whether the end user created the key in the portal.' }),
    capMicros: Micros.nullable().meta({
      description:
        'Maximum spend per `capPeriod`, in micros, for the key and the keys it replaced. Null means no cap.',
    }),
    capPeriod: Period.meta({
      description: 'Calendar period (UTC) after which the cap resets. With `total`, the cap never resets.',
    }),
    createdAt: Timestamp.meta({ description: 'When the key was created.' }),
    lastUsedAt: Timestamp.nullable().meta({
      description: 'When the key was last used at the gateway. Null if the key has never been used.',
    }),
    revokedAt: Timestamp.nullable().meta({
      description: 'When the key was revoked. Null if it was not revoked.',
    }),
    expiresAt: Timestamp.nullable().meta({ description: 'When the key expires. Null if it never expires.' }),
    replacedBy: z.string().nullable().meta({
      description: 'ID of the key that replaces this one, `key_…`. Null if the key was not rotated.',
    }),
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
