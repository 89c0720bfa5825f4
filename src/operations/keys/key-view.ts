import * as z from 'zod'
import { calendarWindow, dayMs, type Window } from '#money/period.ts'
import { lineOf, type KeyListed } from '#domain/records.ts'
import type { InApplication } from '#operations/context.ts'
import { modeTime } from '#operations/mode-time.ts'
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
    capMicros: Micros.nullable().meta({
      description:
        'Maximum spend per `capPeriod`, in micros, for this key and the keys it replaced together. Null means no cap.',
    }),
    capPeriod: Period.meta({ description: 'When the cap starts anew (UTC); `total`: never.' }),
    spentMicros: Micros.meta({
      description:
        'Charges in the current `capPeriod`, in micros, for this key and the keys it replaced. Reported whether or not a cap is set.',
    }),
    heldMicros: Micros.meta({
      description:
        'Amount held by requests in flight, in micros, for this key and the keys it replaced. Counts against the cap.',
    }),
    resetsAt: Timestamp.nullable().meta({ description: 'When the next `capPeriod` begins; null: never.' }),
    actorType: z.string().meta({ description: 'Kind of the actor that minted it, such as `token`.' }),
    actorLabel: z.string().nullable().meta({ description: 'Label of that actor.' }),
    createdAt: Timestamp.meta({ description: 'When it was minted.' }),
    lastUsedAt: Timestamp.nullable().meta({
      description: 'When it was last used on the gateway; null: never.',
    }),
    revokedAt: Timestamp.nullable().meta({ description: 'When it was revoked; null: it was not.' }),
    expiresAt: Timestamp.nullable().meta({ description: 'When it expires; null: never.' }),
    replacedBy: z.string().nullable().meta({
      description: 'Id of the key that takes its place, `key_…`; null: it was not rotated.',
    }),
  })
  .meta({ id: 'ApiKeySummary', description: 'A key of a person, without its secret.' })

/** @param keys keys of one mode */
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
  if (!view) throw new Error('one key gives one view')
  return view
}

/** Returns the days of the current window. A charge counts on the day on which it settled. */
export function windowDays(
  period: Window,
  nowMs: number,
): { readonly fromDay: number; readonly toDay: number | null } {
  const { endsAtMs, startsAtMs } = calendarWindow(period, nowMs)
  return {
    fromDay: Math.floor(startsAtMs / dayMs),
    toDay: endsAtMs === null ? null : Math.floor(endsAtMs / dayMs),
  }
}
