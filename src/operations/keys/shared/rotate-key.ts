import type { Key } from '#domain/end-user-keys.ts'
import * as z from 'zod'
import type { ApplicationContext, EndUserContext } from '#operations/kernel/operation-context.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { type Refused, refused } from '#operations/kernel/returned-error.ts'
import { Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { MintedKey, newKey } from './create-key.ts'

const graceSecondsMax = 86_400

export const RotationBody = z.strictObject({
  graceSeconds: z
    .int()
    .min(0)
    .max(graceSecondsMax)
    .meta({
      description:
        "Grace period during which both keys work, in seconds (max 86,400). 0 revokes the old key immediately. The grace period does not extend the old key's expiry.",
      examples: [3_600],
    }),
})

export const RotatedKey = MintedKey.extend({
  replaces: z.string().meta({ description: 'ID of the old key, `key_…`.' }),
  replacedEndsAt: Timestamp.meta({ description: 'When the old key stops working.' }),
}).meta({ id: 'RotatedKey', description: 'A new key that replaces an old one, with its secret.' })

/**
 * Lets the old key expire. The two keys form a key line, so the cap and the limits apply to both together. If two
 * callers rotate a key concurrently, only one succeeds.
 * @param key the key to replace, of either mode
 */
export async function rotateKey(
  key: Key,
  { graceSeconds }: z.output<typeof RotationBody>,
  context: ApplicationContext | EndUserContext,
): Promise<z.output<typeof RotatedKey> | Refused<'key_ended'>> {
  const { actor, application, ports, store } = context
  const nowMs = modeTime(context, key.mode)
  const graceEndMs = nowMs + graceSeconds * 1_000
  const endsAtMs = key.expiresAtMs === null ? graceEndMs : Math.min(graceEndMs, key.expiresAtMs)
  const {
    hash,
    key: successor,
    minted,
  } = newKey(
    {
      application,
      endUser: { id: key.endUserId },
      mode: key.mode,
      name: key.name,
      capMicros: key.capMicros,
      capPeriod: key.capPeriod,
      limits: key.limits,
      tags: key.tags,
      expiresAtMs: key.expiresAtMs,
      actorType: actor.kind,
      actorLabel: actor.kind === 'end_user' ? null : actor.label,
      nowMs,
      replaces: key,
    },
    ports,
  )
  const isReplaced = await store.keys.replace(key.id, { replacedBy: successor.id, endsAtMs, nowMs })
  if (!isReplaced) {
    const reason = endedBecause((await store.keys.byId(application.id, key.id)) ?? key)
    return refused('key_ended', { id: key.id, reason }, 'id')
  }
  await store.keys.insert(successor, hash)
  return { ...minted, replaces: key.id, replacedEndsAt: endsAtMs }
}

function endedBecause({ replacedBy, revokedAtMs }: Key): string {
  if (revokedAtMs !== null) return 'it is revoked'
  return replacedBy === null ? 'it has expired' : `${replacedBy} has replaced it`
}
