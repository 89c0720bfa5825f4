import * as z from 'zod'
import { hasExpired, lineOf, type KeyListed } from '#domain/end-user-keys.ts'
import type { BundleRecord } from '#domain/billing/bundle-record.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { OwnRateSource, RateLimit, RateRule } from '#money/decision-types.ts'
import { amountOf, appliesTo, heldAmount, type RateUse, resetsAt, slotsOfRule } from '#money/rate-limit.ts'
import type { PlanReads } from '#operations/billing/shared/current-plan-and-pools.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { limitFields, rateView } from '#operations/kernel/rate-limit-schemas.ts'
import { MicrosSum, SignedMicros, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

const sources = ['key_limit', 'bundle_limit', 'end_user_limit'] as const satisfies readonly OwnRateSource[]

export const RateLimitUse = z
  .object({
    ...limitFields,
    source: z.enum(sources).meta({
      description:
        'Where the limit is set:\n- `key_limit`: on a key. The limit covers this key and the keys that it replaced.\n- `bundle_limit`: on the bundle, for each end user.\n- `end_user_limit`: on the end user. The limit counts the usage of all keys and plans.',
    }),
    id: z.string().nullable().meta({
      description: 'ID of the key, or slug of the bundle. Null for a limit of the end user.',
    }),
    used: MicrosSum.meta({ description: 'Amount counted in the window.' }),
    held: MicrosSum.meta({ description: 'Amount that requests in flight hold.' }),
    available: SignedMicros.meta({ description: 'Remaining amount. Negative if the limit was lowered.' }),
    resetsAt: Timestamp.nullable().meta({
      description:
        'When the oldest counted amount leaves the window. Null if nothing is counted, or if the limit never resets.',
    }),
  })
  .meta({
    id: 'RateLimitUse',
    description: 'A rate limit of an end user, with its current usage.',
  })

/** `id` is null if the limit is set on the end user. */
export type HeldRateLimit = RateLimit & { readonly source: OwnRateSource; readonly id: string | null }

export async function rateLimitUses(
  endUser: EndUser,
  bundle: BundleRecord | null,
  context: PlanReads,
): Promise<z.output<typeof RateLimitUse>[]> {
  const { mode, store } = context
  const nowMs = modeTime(context)
  const keys = (await store.keys.held(endUser.id, mode)).filter((key) => !hasExpired(key, nowMs))
  return (await rateLimitsOf(endUser, bundle, keys, context)).map(viewOf)
}

/**
 * Includes the amount that requests in flight hold. The limits are in the order in which the ledger checks them
 * (store/ledger/spend-limits.ts).
 */
export async function rateLimitsOf(
  endUser: EndUser,
  bundle: BundleRecord | null,
  keys: readonly KeyListed[],
  context: PlanReads,
): Promise<HeldRateLimit[]> {
  const { mode, store } = context
  const { balances, countedUses } = store
  const nowMs = modeTime(context)
  const own = (await balances.rates([endUser.id], mode)).get(endUser.id) ?? []
  const limited = keys.filter(({ limits }) => limits.length > 0)
  const ofBundle = bundle?.limits ?? []
  if (own.length + limited.length + ofBundle.length === 0) return []
  const uses = own.length + ofBundle.length === 0 ? [] : await countedUses.ofEndUser(endUser.id, mode)
  const ofLines = limited.length === 0 ? noLines : await countedUses.ofLines(endUser.id, mode)
  const inFlight = await countedUses.inFlight(endUser.id, mode)
  const limitOf = (
    rule: RateRule,
    at: Pick<HeldRateLimit, 'id' | 'source'>,
    counted: readonly RateUse[],
    lineId: string | null,
  ): HeldRateLimit => {
    const holds = inFlight.filter(
      (hold) => appliesTo(rule, hold.bound.alias) && (lineId === null || hold.lineId === lineId),
    )
    const held = holds.reduce((sum, hold) => sum + heldAmount(rule.measure, hold), 0n)
    return { ...rule, ...at, slots: slotsOfRule(rule, counted, nowMs), held }
  }
  return [
    ...limited.flatMap((key) => {
      const lineId = lineOf(key)
      const at = { source: 'key_limit', id: key.id } as const
      return key.limits.map((rule) => limitOf(rule, at, ofLines.get(lineId) ?? [], lineId))
    }),
    ...ofBundle.map((rule) =>
      limitOf(rule, { source: 'bundle_limit', id: bundle?.slug ?? null }, uses, null),
    ),
    ...own.map((rule) => limitOf(rule, { source: 'end_user_limit', id: null }, uses, null)),
  ]
}

const noLines: ReadonlyMap<string, readonly RateUse[]> = new Map()

function viewOf(limit: HeldRateLimit): z.output<typeof RateLimitUse> {
  const { held, id, most, slots, source } = limit
  const used = amountOf(slots)
  return {
    ...rateView(limit),
    source,
    id,
    used,
    held,
    available: most - used - held,
    resetsAt: resetsAt(limit),
  }
}
