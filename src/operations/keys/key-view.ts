import * as z from 'zod'
import { calendarWindow, dayMs, type Window } from '#money/period.ts'
import { lineOf, type KeyListed } from '#domain/records.ts'
import type { InApplication } from '#operations/context.ts'
import { modeTime } from '#operations/mode-time.ts'
import { Micros, Period, Timestamp } from '#operations/schemas.ts'

/** A key in lists and pages, without its secret. */
export const KeyView = z
  .object({
    id: z.string().meta({ description: 'ID of the key, `key_…`.' }),
    name: z.string().meta({ description: 'Display name of the key.' }),
    keyPrefix: z.string().meta({ description: 'First characters of the secret. Safe to show.' }),
    lastFour: z.string().meta({ description: 'Last four characters of the secret. Safe to show.' }),
    livemode: z
      .boolean()
      .meta({ description: 'Whether the key is a live key. Test keys never reach a provider.' }),
    endUserId: z.string().nullable().meta({
      description:
        'External ID of the end user that the key belongs to. If the end user was deleted, their ID, `eu_…`.',
    }),
    capMicros: Micros.nullable().meta({
      description:
        'Maximum spend per `capPeriod`, in micros, for the key and the keys it replaced. Null means no cap.',
    }),
    capPeriod: Period.meta({
      description: 'Calendar period (UTC) after which the cap resets. With `total`, the cap never resets.',
    }),
    spentMicros: Micros.meta({
      description:
        'Charges in the current `capPeriod`, in micros, for the key and the keys it replaced. Reported with or without a cap.',
    }),
    heldMicros: Micros.meta({
      description:
        'Amount held by requests in flight, in micros, for the key and the keys it replaced. It counts toward the cap.',
    }),
    resetsAt: Timestamp.nullable().meta({
      description: 'When the next `capPeriod` begins. Null if the cap never resets.',
    }),
    actorType: z.string().meta({ description: 'Kind of the actor who created the key, such as `token`.' }),
    actorLabel: z.string().nullable().meta({ description: 'Label of the actor who created the key.' }),
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
  .meta({ id: 'ApiKeySummary', description: 'A key of an end user, without its secret.' })

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
