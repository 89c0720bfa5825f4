import * as z from 'zod'
import type { Key } from '#domain/records.ts'
import { Micros, Period, Timestamp } from '#operations/schemas.ts'

/** A key as its end user sees it, without the team member who created it. */
export const PortalKey = z
  .object({
    id: z.string().meta({ description: 'Id of the key, `key_…`.' }),
    name: z.string().meta({ description: 'Its label.' }),
    keyPrefix: z.string().meta({ description: 'First characters of the secret; safe to show.' }),
    lastFour: z.string().meta({ description: 'Last characters of the secret; safe to show.' }),
    mintedHere: z.boolean().meta({ description: 'Whether they minted it in the portal themselves.' }),
    capMicros: Micros.nullable().meta({ description: 'What it may spend per `capPeriod`; null: no cap.' }),
    capPeriod: Period.meta({ description: 'When the cap starts anew (UTC); `total`: never.' }),
    createdAt: Timestamp.meta({ description: 'When it was minted.' }),
    lastUsedAt: Timestamp.nullable().meta({ description: 'When it was last used; null: never.' }),
    revokedAt: Timestamp.nullable().meta({ description: 'When it was revoked; null: it was not.' }),
    expiresAt: Timestamp.nullable().meta({ description: 'When it expires; null: never.' }),
    replacedBy: z.string().nullable().meta({
      description: 'Id of the key that takes its place, `key_…`; null: it was not rotated.',
    }),
  })
  .meta({ id: 'PortalKey', description: 'A key of the signed-in person, without its secret.' })

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
