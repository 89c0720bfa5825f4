import * as z from 'zod'
import type { KeyListed } from '#domain/store.ts'
import type { ApplicationContext } from '#operations/operation.ts'
import { refused, type Refused } from '#operations/refused.ts'
import { Micros, Period, text, Timestamp } from '#operations/schemas.ts'

/** What lists and pages show of a key; never its secret. */
export const KeyView = z
  .object({
    id: z.string().meta({ description: 'Id of the key, `key_…`.' }),
    name: z.string().meta({ description: 'Its label.' }),
    keyPrefix: z.string().meta({ description: 'The start of the secret; safe to show.' }),
    lastFour: z.string().meta({ description: 'The end of the secret; safe to show.' }),
    livemode: z.boolean().meta({ description: 'False: a test key, which never reaches a provider.' }),
    endUserId: z
      .string()
      .nullable()
      .meta({ description: "The customer's own id of the person that it spends as." }),
    capMicros: Micros.nullable().meta({ description: 'What it may spend per `capPeriod`; null: no cap.' }),
    capPeriod: Period.meta({ description: 'When the cap starts anew (UTC); `total`: never.' }),
    actorType: z.string().meta({ description: 'What minted it, such as `token`.' }),
    actorLabel: z.string().nullable().meta({ description: 'Label of what minted it.' }),
    createdAt: Timestamp.meta({ description: 'When it was minted.' }),
    lastUsedAt: Timestamp.nullable().meta({
      description: 'When it was last used on the gateway; null: never.',
    }),
    revokedAt: Timestamp.nullable().meta({ description: 'When it was revoked; null: it was not.' }),
    expiresAt: Timestamp.nullable().meta({ description: 'From when on it is refused; null: never.' }),
  })
  .meta({ id: 'ApiKeySummary', description: 'A key of a person, without its secret.' })

/** What a path names a key by. */
export const KeySelector = text(256).meta({
  description: 'Id of the key, its prefix, or the external id of a person who holds exactly one key.',
})

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

/**
 * The key that a selector means: an id and a prefix mean one key in either mode, revoked or not; a
 * person means the one key that they hold in the mode of the request.
 */
export async function ownKey(
  selector: string,
  { application, mode, store }: ApplicationContext,
): Promise<KeyListed | Refused<'not_found' | 'ambiguous_key'>> {
  const byId = await store.keys.byId(application.id, selector)
  if (byId) return byId
  const [byPrefix, ...others] = await store.keys.byPrefix(application.id, selector)
  if (byPrefix && others.length === 0) return byPrefix
  if (byPrefix) return refused('ambiguous_key', { id: byPrefix.externalId, count: 1 + others.length }, 'id')
  const endUser = await store.endUsers.byExternalId(application.id, selector)
  const held = endUser ? await store.keys.held(endUser.id, mode) : []
  const [only] = held
  if (!only) return refused('not_found', { resource: 'key', id: selector }, 'id')
  return held.length === 1 ? only : refused('ambiguous_key', { id: selector, count: held.length }, 'id')
}
