import { lineOf, type KeyListed } from '#domain/end-user-keys.ts'
import * as z from 'zod'
import { calendarWindow, type Window } from '#money/periods-and-windows.ts'
import type { InApplication } from '#operations/kernel/operation-context.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { Micros, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { windowDays } from '#operations/kernel/days-of-window.ts'
import { keyFields } from './key-response-fields.ts'

export const KeyView = z
  .object({
    id: keyFields.id,
    name: keyFields.name,
    keyPrefix: keyFields.keyPrefix,
    lastFour: keyFields.lastFour,
    livemode: keyFields.livemode,
    endUserId: z.string().nullable().meta({
      description:
        'External ID of the end user that the key belongs to. If the end user was deleted, this field contains the ID `eu_…`.',
    }),
    capMicros: keyFields.capMicros,
    capPeriod: keyFields.capPeriod,
    limits: keyFields.limits,
    tags: keyFields.tags,
    spentMicros: Micros.meta({
      description:
        'Charges in the current period of the cap, in micros, for this key and the keys that it replaced. Reported even if the key has no cap.',
    }),
    heldMicros: Micros.meta({
      description:
        'Amount held by requests in flight, in micros, for this key and the keys that it replaced. This amount counts toward the cap.',
    }),
    resetsAt: Timestamp.nullable().meta({
      description: 'When the next period of the cap begins. Null if the cap never resets.',
    }),
    actorType: keyFields.actorType,
    actorLabel: keyFields.actorLabel,
    createdAt: keyFields.createdAt,
    lastUsedAt: keyFields.lastUsedAt,
    revokedAt: keyFields.revokedAt,
    expiresAt: keyFields.expiresAt,
    replacedBy: keyFields.replacedBy,
  })
  .meta({ id: 'ApiKeySummary', description: 'A key of an end user, without its secret.' })

/** @param keys keys of a single mode */
export async function keyViews(
  keys: readonly KeyListed[],
  context: InApplication,
): Promise<z.output<typeof KeyView>[]> {
  const { application, store } = context
  const mode = keys[0]?.mode ?? context.mode
  const nowMs = modeTime(context, mode)
  const people = [...new Set(keys.map(({ endUserId }) => endUserId))]
  const inFlight = await store.keys.inFlight(application.id, people, mode)
  const charged = new Map<Window, ReadonlyMap<string, bigint>>()
  for (const period of new Set(keys.map(({ capPeriod }) => capPeriod))) {
    charged.set(period, await store.keys.charged(people, mode, windowDays(period, nowMs)))
  }
  return keys.map((key) => ({
    id: key.id,
    name: key.name,
    keyPrefix: key.prefix,
    lastFour: key.lastFour,
    livemode: key.mode === 'live',
    endUserId: key.externalId,
    capMicros: key.capMicros,
    capPeriod: key.capPeriod,
    limits: key.limits,
    tags: [...key.tags],
    spentMicros: charged.get(key.capPeriod)?.get(lineOf(key)) ?? 0n,
    heldMicros: inFlight.get(lineOf(key))?.heldMicros ?? 0n,
    resetsAt: calendarWindow(key.capPeriod, nowMs).endsAtMs,
    actorType: key.actorType,
    actorLabel: key.actorLabel,
    createdAt: key.createdAtMs,
    lastUsedAt: key.lastUsedAtMs,
    revokedAt: key.revokedAtMs,
    expiresAt: key.expiresAtMs,
    replacedBy: key.replacedBy,
  }))
}

export async function keyView(key: KeyListed, context: InApplication): Promise<z.output<typeof KeyView>> {
  const [view] = await keyViews([key], context)
  if (!view) throw new Error('a key without a view')
  return view
}
