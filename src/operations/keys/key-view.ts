import * as z from 'zod'
import type { KeyListed } from '#domain/records.ts'
import { Micros, Period, Timestamp } from '#operations/schemas.ts'

/** A key in lists and pages, without its secret. */
export const KeyView = z
  .object({
    id: z.string().meta({ description: 'Id of the key, `key_…`.' }),
    name: z.string().meta({ description: 'Its label.' }),
    keyPrefix: z.string().meta({ description: 'First characters of the secret; safe to show.' }),
    lastFour: z.string().meta({ description: 'Last characters of the secret; safe to show.' }),
    livemode: z.boolean().meta({ description: 'False: a test key, which never reaches a provider.' }),
    endUserId: z.string().nullable().meta({
      description:
        "The customer's own id of the person that it spends as; of a removed person the service's, `eu_…`.",
    }),
    capMicros: Micros.nullable().meta({ description: 'What it may spend per `capPeriod`; null: no cap.' }),
    capPeriod: Period.meta({ description: 'When the cap starts anew (UTC); `total`: never.' }),
    actorType: z.string().meta({ description: 'Kind of the actor that minted it, such as `token`.' }),
    actorLabel: z.string().nullable().meta({ description: 'Label of that actor.' }),
    createdAt: Timestamp.meta({ description: 'When it was minted.' }),
    lastUsedAt: Timestamp.nullable().meta({
      description: 'When it was last used on the gateway; null: never.',
    }),
    revokedAt: Timestamp.nullable().meta({ description: 'When it was revoked; null: it was not.' }),
    expiresAt: Timestamp.nullable().meta({ description: 'When it expires; null: never.' }),
  })
  .meta({ id: 'ApiKeySummary', description: 'A key of a person, without its secret.' })

export function keyView(key: KeyListed): z.output<typeof KeyView> {
  return {
    id: key.id,
    name: key.name,
    keyPrefix: key.prefix,
    lastFour: key.lastFour,
    livemode: key.mode === 'live',
    endUserId: key.externalId,
    capMicros: key.capMicros,
    capPeriod: key.capPeriod,
    actorType: key.actorType,
    actorLabel: key.actorLabel,
    createdAt: key.createdAtMs,
    lastUsedAt: key.lastUsedAtMs,
    revokedAt: key.revokedAtMs,
    expiresAt: key.expiresAtMs,
  }
}
