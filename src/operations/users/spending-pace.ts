import * as z from 'zod'
import { ceilDiv, minOf } from '#money/amount.ts'
import { dayMs } from '#money/period.ts'
import type { OwnedPool } from '#money/plan-pools.ts'
import type { EndUser, Wallet } from '#domain/records.ts'
import type { InApplication } from '#operations/context.ts'
import { modeTime } from '#operations/mode-time.ts'
import { Count, SignedMicros, Timestamp } from '#operations/schemas.ts'
import { poolMicrosLeft } from '#operations/subscription/subscription-view.ts'

/** Days whose charges say how fast somebody spends: today and those before it. */
const paceDaysMax = 7
/** A hundred years: nothing shown is planned for longer. */
const lastsDaysMax = 36_525n

/** Sums, which may be more than any one amount. */
export const SpendingPace = z
  .object({
    from: Timestamp.meta({ description: 'The beginning of the first of those days, UTC.' }),
    to: Timestamp.meta({ description: 'Now.' }),
    days: z.int().min(1).max(paceDaysMax).meta({
      description:
        'Number of days looked at, today included: seven, or fewer for whoever used something for the first time since.',
    }),
    chargedMicros: SignedMicros.meta({ description: 'What calls that settled in them were charged.' }),
    perDayMicros: SignedMicros.meta({ description: 'The mean of a day, rounded up.' }),
    availableMicros: SignedMicros.meta({
      description:
        'What pays without overage: what wallet and pools leave, without credits that have no price. A wallet below zero counts as nothing.',
    }),
    lastsDays: Count.max(Number(lastsDaysMax))
      .nullable()
      .meta({
        description: `How many whole days that lasts at this pace, at most ${lastsDaysMax}; null: nothing was charged, or nothing is left.`,
      }),
  })
  .meta({ id: 'SpendingPace', description: 'How fast somebody spends, and how long what they have lasts.' })

/** What wallet and pools leave of a person, and how fast they spend it, in the mode of the request. */
export async function paceOf(
  endUser: EndUser,
  pools: readonly OwnedPool[],
  context: InApplication,
): Promise<z.output<typeof SpendingPace>> {
  const { mode, store } = context
  const nowMs = modeTime(context)
  const wallet = (await store.balances.wallets([endUser.id], mode, nowMs)).get(endUser.id)
  const days = paceDays(nowMs, await store.portals.firstUseDay(endUser.id, mode))
  const fromDay = Math.floor(nowMs / dayMs) - days + 1
  return spendingPace({
    nowMs,
    days,
    chargedMicros: await store.portals.chargedMicros(endUser.id, mode, { fromDay, toDay: null }),
    availableMicros: pools.reduce((sum, pool) => sum + poolMicrosLeft(pool), spendableMicros(wallet, nowMs)),
  })
}

/** What wallet and credit that ends can pay now. A wallet below 0 takes nothing from the credit. */
function spendableMicros(wallet: Wallet | undefined, nowMs: number): bigint {
  if (wallet === undefined) return 0n
  let micros = wallet.lastingMicros > 0n ? wallet.lastingMicros : 0n
  for (const { heldMicros, postedMicros, startsAtMs } of wallet.expiring) {
    if (startsAtMs <= nowMs) micros += postedMicros - heldMicros
  }
  return micros
}

/**
 * The last seven days, today included, or as many as there were since the first use: whoever begins is not told that
 * what they have lasts for ever.
 * @param firstUseDay in days since 1970 (UTC); null: nothing was used yet
 */
export function paceDays(nowMs: number, firstUseDay: number | null): number {
  const today = Math.floor(nowMs / dayMs)
  return Math.min(Math.max(today - (firstUseDay ?? today) + 1, 1), paceDaysMax)
}

/**
 * @param days of how many days, today included, `chargedMicros` are the charges; at least 1
 * @param availableMicros at least 0
 */
export function spendingPace({
  availableMicros,
  chargedMicros,
  days,
  nowMs,
}: Record<'availableMicros' | 'chargedMicros', bigint> & Record<'days' | 'nowMs', number>): z.output<
  typeof SpendingPace
> {
  const hasEnd = chargedMicros > 0n && availableMicros > 0n
  const lastsDays = hasEnd ? minOf((availableMicros * BigInt(days)) / chargedMicros, lastsDaysMax) : null
  return {
    from: (Math.floor(nowMs / dayMs) - days + 1) * dayMs,
    to: nowMs,
    days,
    chargedMicros,
    perDayMicros: ceilDiv(chargedMicros, BigInt(days)),
    availableMicros,
    lastsDays: lastsDays === null ? null : Number(lastsDays),
  }
}
